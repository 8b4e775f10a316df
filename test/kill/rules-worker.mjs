// Works on a table that other processes work on too, and kills its own process with SIGKILL at a step when told to.
// Arguments: the folder of the table, what to do (`crawl`, or a verb of `rules`), its arguments as JSON, the step to die at (0: none),
// and whether before (0), while (1) or after (2) it.
const [directory, verb, args, killAt, moment] = process.argv.slice(2);
const { jobs, openContext, rules } = await import('../../dist/tests/webcrawl.js');
let steps = 0;

async function dying(step) {
  steps += 1;
  const die = steps === Number(killAt);
  if (die && moment === '0') process.kill(process.pid, 'SIGKILL');
  const doing = step();
  if (die && moment === '1') process.kill(process.pid, 'SIGKILL');
  const result = await doing;
  if (die) process.kill(process.pid, 'SIGKILL');
  return result;
}

const isCrawl = verb === 'crawl';
const settings = {
  'fetcher.serverDelay': 0,
  'parser.threads': 0,
  'db.fetchIntervalDefault': 1,
  'propose.minRelevant': 1,
};
const crawl = await openContext({ table: `level:${directory}`, settings, wait: 60 });
for (const [part, names] of [
  [crawl.tables, ['changeRows']],
  [crawl.tables.batches, ['change', 'clear']],
  [crawl.tables.proposals, ['read', 'put']],
  // Of a crawl the rows alone are many steps; of an edit these are all.
  [crawl.tables.rules, isCrawl ? [] : ['read', 'version', 'change']],
]) {
  for (const name of names) {
    const original = part[name];
    part[name] = (...given) => dying(() => original(...given));
  }
}
try {
  if (isCrawl) await jobs.crawl(crawl, JSON.parse(args));
  else await rules[verb](crawl, ...JSON.parse(args));
} catch (error) {
  // What was done before a kill is not to be done again.
  if (error.code !== 'UNKNOWN_RULE') throw error;
}
await crawl.close();
console.log(steps);
