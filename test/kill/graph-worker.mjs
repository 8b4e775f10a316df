// Ranks a table, or exports its graph, and kills its own process with SIGKILL at a step when told to.
// Arguments: the folder of the table, `rank` or `graph`, its options as JSON, the step to die at (0: none).
// Prints how many steps there were.
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const [directory, what, options, killAt] = process.argv.slice(2);
let steps = 0;
let counting = false;

/** By chance before, while or after the step. */
async function dying(step) {
  if (!counting) return step();
  steps += 1;
  const die = steps === Number(killAt);
  if (die && steps % 3 === 0) process.kill(process.pid, 'SIGKILL');
  const doing = step();
  if (die && steps % 3 === 1) process.kill(process.pid, 'SIGKILL');
  const result = await doing;
  if (die) process.kill(process.pid, 'SIGKILL');
  return result;
}

for (const name of ['link', 'mkdir', 'mkdtemp', 'rename', 'rm', 'rmdir']) {
  const original = promises[name];
  promises[name] = (...args) => dying(() => original(...args));
}
const open = promises.open;
promises.open = async (...args) => {
  const handle = await open(...args);
  for (const name of ['appendFile', 'read', 'sync', 'truncate', 'writeFile']) {
    const original = handle[name].bind(handle);
    handle[name] = (...given) => dying(() => original(...given));
  }
  return handle;
};
syncBuiltinESMExports();

const { exportGraph, jobs, openCrawl } = await import('../../dist/packages/webcrawl/index.js');
const crawl = await openCrawl({ table: `level:${directory}` });
for (const [part, name] of [
  [crawl.tables, 'changeRows'],
  [crawl.tables.runs, 'putRankWriting'],
]) {
  const original = part[name];
  part[name] = (...args) => dying(() => original(...args));
}
counting = true;
await (what === 'rank' ? jobs.rank : exportGraph)(crawl, JSON.parse(options));
counting = false;
await crawl.close();
console.log(steps);
