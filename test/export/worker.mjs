// Runs one export of pages, and kills its own process with SIGKILL at a step on the disk when told to.
// Arguments: the folder of the table, the options as JSON, the sizes as JSON, the step to die at (0: none).
// Prints the counters as JSON, with the number of steps as `steps`.
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const [directory, options, sizes, killAt] = process.argv.slice(2);
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

for (const name of ['link', 'mkdir', 'rename', 'rm', 'rmdir']) {
  const original = promises[name];
  promises[name] = (...args) => dying(() => original(...args));
}
const open = promises.open;
promises.open = async (...args) => {
  const handle = await open(...args);
  for (const name of ['appendFile', 'sync', 'truncate']) {
    const original = handle[name].bind(handle);
    handle[name] = (...given) => dying(() => original(...given));
  }
  return handle;
};
syncBuiltinESMExports();

const { openCrawl } = await import('../../dist/packages/webcrawl/index.js');
const { exportPages } = await import('../../dist/packages/export/index.js');
const crawl = await openCrawl({ table: `level:${directory}` });
counting = true;
const { counters } = await exportPages(crawl, JSON.parse(options), JSON.parse(sizes));
counting = false;
await crawl.close();
console.log(JSON.stringify({ ...counters, steps }));
