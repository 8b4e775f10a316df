import { setMaxListeners } from 'node:events';
import { fileURLToPath } from 'node:url';
import { CrawlError, setV8Flags } from '../packages/webcrawl/names.js';
import { say } from './output/output.js';
import { reportError, run } from './run.js';

/** Milliseconds in which a second signal is the same key press: npm and npx hand on the terminal's signal once more. */
const SAME_PRESS = 300;
const INTERRUPTED = 130;

setV8Flags();

const stop = new AbortController();
// Every request in flight listens; how many there are is a setting.
setMaxListeners(0, stop.signal);
let firstSignal = 0;

function onSignal(): void {
  if (!stop.signal.aborted) {
    firstSignal = performance.now();
    say(process, 'Stopping: requests in flight have two seconds to end. Again to stop at once.');
    stop.abort();
  } else if (performance.now() - firstSignal > SAME_PRESS) {
    process.exit(INTERRUPTED);
  }
}
process.on('SIGINT', onSignal);
process.on('SIGTERM', onSignal);
// The driver that started this worker is gone, and another one may start its own.
process.on('disconnect', onSignal);

// A reader that has seen enough (`| head`) is no error. Data is only ever written when nothing is half done.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  const code = error.code === 'ENOSPC' ? 'STORE_FULL' : 'BAD_OUTPUT';
  const failed = new CrawlError(code, `expected to write to standard output, found: ${error.message}`, {
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
// Whatever a plugin left running does not keep the process, but what was written goes out first.
stdout.write('', () => stderr.write('', () => process.exit(exitCode)));
