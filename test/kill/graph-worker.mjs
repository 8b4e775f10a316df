// Runs a job on a table or exports its graph, and kills its own process with SIGKILL at a given step.
// Arguments: the folder of the table; the job or `graph`; the options as JSON; the step to die at (0: none); the settings as JSON.
// Prints the number of steps.
import { createDyingSteps } from '../support/dying-steps.mjs';

const [directory, what, options, killAt, settings = '{}'] = process.argv.slice(2);
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
const crawl = await openContext({ table: store, settings: JSON.parse(settings) });
steps.begin();
await (what === 'graph' ? exportGraph : jobs[what])(crawl, JSON.parse(options));
const count = steps.end();
await crawl.close();
console.log(count);
