import { spawn } from 'node:child_process';

/** Runs Node with these arguments, forwards signals to it, and returns its exit status. */
export function runNode(args, options = {}) {
  const child = spawn(process.execPath, args, { stdio: 'inherit', ...options });
  const handOn = (signal) => void child.kill(signal);
  process.on('SIGINT', handOn).on('SIGTERM', handOn);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      process.off('SIGINT', handOn).off('SIGTERM', handOn);
      resolve(code ?? (signal === 'SIGINT' ? 130 : 1));
    });
  });
}
