// Indexes a table, and kills its own process with SIGKILL at a given step.
// Arguments: the folder of the table, the options as JSON, the step to die at (0: none), the settings as JSON. Prints the
// number of steps.
const [directory, options, killAt, settings = '{}'] = process.argv.slice(2);
let steps = 0;

/** The process dies at random before, during or after the step. */
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
// Messages to the writing thread count as steps, too: the process dies while the thread works, or right after it got the
// message.
const post = Worker.prototype.postMessage;
Worker.prototype.postMessage = function (...args) {
  post.apply(this, args);
  void dying(() => setTimeout(steps % 7));
};
await jobs.index(crawl, JSON.parse(options));
await crawl.close();
console.log(steps);
