import { setMaxListeners } from 'node:events';
import { fileURLToPath } from 'node:url';
import { CrawlError, setV8Flags } from '../packages/webcrawl/names.js';
import { say } from './output/output.js';
import { reportError, run } from './run.js';

/**
 * A second signal within this number of milliseconds counts as the same key press, because npm and npx forward the signal of the terminal
 * once more.
 */
const SAME_PRESS_MS = 300;
const INTERRUPTED = 130;

setV8Flags();

const stop = new AbortController();
// Node warns of many listeners, but every request in flight adds one, and a setting decides the number of requests. So the warning is
// turned off.
setMaxListeners(0, stop.signal);
let firstSignal = 0;
const isQuiet = process.argv.some((arg) => arg === '--quiet' || /^-[a-z]*q[a-z]*$/.test(arg));

function onSignal(): void {
  if (!stop.signal.aborted) {
    firstSignal = performance.now();
    if (!isQuiet) say(process, 'Stopping: requests in flight have two seconds to end. Press again to stop at once.');
    stop.abort();
  } else if (performance.now() - firstSignal > SAME_PRESS_MS) {
    process.exit(INTERRUPTED);
  }
}
process.on('SIGINT', onSignal);
process.on('SIGTERM', onSignal);
// The driver that started this worker has ended, so the worker stops. Another driver may start its own workers.
process.on('disconnect', onSignal);

// If a reader such as `| head` closes the pipe early, this is not an error. No other work is half done while data is written.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  const code = error.code === 'ENOSPC' ? 'STORE_FULL' : 'BAD_OUTPUT';
  const failed = new CrawlError(code, `cannot write to standard output: ${error.message}`, {
    cause: error,
  });
  process.exit(reportError(io, failed, false));
});
process.stderr.on('error', () => {});

const { stdin, stdout, stderr, env } = process;
const program = fileURLToPath(new URL('webcrawl.js', import.meta.url));
const io = { stdin, stdout, stderr, env, signal: stop.signal, program };
process.on('uncaughtException', (error) => process.exit(reportError(io, error, true)));

const exitCode = await run(process.argv.slice(2), io);
// Ends the process, even if a plugin has left work running. Before that, output is flushed.
stdout.write('', () => stderr.write('', () => process.exit(exitCode)));
