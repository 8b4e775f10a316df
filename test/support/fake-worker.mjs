// Replaces a worker. Its behaviour is in the file of its shard below the folder of its first argument, with a line of words for each start:
// an exit status, `kill`, or `wait`, which waits until it is stopped and then exits with 75. It notes each start in `<shard>.log`.
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

const folder = process.argv[2];
const given = process.argv.at(-1);
const [shard] = (given === 'auto' ? (process.env.WEBCRAWL_SHARD ?? process.env.JOB_COMPLETION_INDEX) : given).split(
  '/',
);
const log = join(folder, `${shard}.log`);
appendFileSync(log, `${process.argv.slice(3).join(' ')}\n`);
const times = readFileSync(log, 'utf8').split('\n').length - 2;
let plan = [];
try {
  plan = readFileSync(join(folder, shard), 'utf8').trim().split(' ');
} catch {
  // Exits with success.
}
const todo = plan[times] ?? '0';
if (todo === 'kill') process.kill(process.pid, 'SIGKILL');
if (todo === 'wait') {
  const stop = () => process.exit(75);
  process.once('SIGTERM', stop).once('disconnect', stop);
  appendFileSync(join(folder, `${shard}.pid`), `${process.pid}\n`);
  setInterval(() => {}, 1000);
} else {
  if (todo === '78') process.stderr.write('error [BAD_SETTING]: expected a number, found x\nhint: write a number\n');
  if (todo === '0') process.stdout.write(JSON.stringify({ job: 'fetch', seconds: 1, counters: { fetched: 3 } }));
  process.exitCode = Number(todo);
}
