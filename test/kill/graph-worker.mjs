// Ranks a table, finds duplicates or exports the graph, and kills its own process with SIGKILL at a given step.
// Arguments: the folder of the table; `rank`, `dedup` or `graph`; the options as JSON; the step to die at (0: none).
// Prints the number of steps.
import { createDyingSteps } from '../support/dying-steps.mjs';

const [directory, what, options, killAt] = process.argv.slice(2);
const steps = createDyingSteps(Number(killAt), {
  names: ['link', 'mkdir', 'mkdtemp', 'rename', 'rm', 'rmdir'],
  ofFiles: ['appendFile', 'read', 'sync', 'truncate', 'write', 'writeFile'],
});

const { exportGraph, jobs, openContext, openLevelStore } = await import('../../dist/tests/webcrawl.js');
const store = await openLevelStore(directory);
const write = store.write.bind(store);
/** Writes one row at a time, so that the process can die between any two. */
store.write = async (table, changes) => {
  for (const change of changes) await steps.step(() => write(table, [change]));
};
const crawl = await openContext({ table: store });
steps.begin();
await (what === 'graph' ? exportGraph : jobs[what])(crawl, JSON.parse(options));
const count = steps.end();
await crawl.close();
console.log(count);
