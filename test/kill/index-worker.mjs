// Brings a table into its search index, and kills its own process with SIGKILL at a step when told to.
// Arguments: the folder of the table, options as JSON, the step to die at (0: none), settings as JSON. Prints how many steps there were.
const [directory, options, killAt, settings = '{}'] = process.argv.slice(2);
let steps = 0;

/** By chance before, while or after the step. */
async function dying(step) {
  steps += 1;
  const die = steps === Number(killAt);
  if (die && steps % 3 === 0) process.kill(process.pid, 'SIGKILL');
  const doing = step();
  if (die && steps % 3 === 1) process.kill(process.pid, 'SIGKILL');
  const result = await doing;
  if (die) process.kill(process.pid, 'SIGKILL');
  return result;
}

const { setTimeout } = await import('node:timers/promises');
const { Worker } = await import('node:worker_threads');
const { jobs, openContext } = await import('../../dist/tests/webcrawl.js');
const crawl = await openContext({ table: `level:${directory}`, settings: JSON.parse(settings) });
for (const [part, names] of [
  [crawl.tables, ['changeRows']],
  [crawl.tables.runs, ['changeConsumer']],
  [crawl.tables.batches, ['change', 'clear']],
  [crawl.tables.pages, ['getMany']],
]) {
  for (const name of names) {
    const original = part[name];
    part[name] = (...args) => dying(() => original(...args));
  }
}
// What goes to the thread that writes: it is killed at its work, or right after it was given some.
const post = Worker.prototype.postMessage;
Worker.prototype.postMessage = function (...args) {
  post.apply(this, args);
  void dying(() => setTimeout(steps % 7));
};
await jobs.index(crawl, JSON.parse(options));
await crawl.close();
console.log(steps);
