// Runs one export (`export` of the options, by default exportPages), and kills its own process with SIGKILL at a step on the disk if
// requested. Arguments: the folder of the table, the options as JSON, the step to die at (0: none). Prints the counters as JSON, with the
// number of steps as `steps`.
import { createDyingSteps } from '../support/dying-steps.mjs';

const [directory, options, killAt] = process.argv.slice(2);
const steps = createDyingSteps(Number(killAt), {
  names: ['link', 'mkdir', 'rename', 'rm', 'rmdir'],
  ofFiles: ['appendFile', 'sync'],
});

const { openContext } = await import('../../dist/tests/webcrawl.js');
const exports = await import('../../dist/tests/export.js');
const { export: name = 'exportPages', ...given } = JSON.parse(options);
const crawl = await openContext({ table: `level:${directory}` });
steps.begin();
const { counters } = await exports[name]({ ...crawl, watch: () => {} }, given);
const count = steps.end();
await crawl.close();
console.log(JSON.stringify({ ...counters, steps: count }));
