// Works on a table at the same time as other processes, and kills its own process with SIGKILL at a given step.
// Arguments: the folder of the table, the verb (`crawl`, or a verb of `rules`), its arguments as JSON, the step to die at (0:
// none), and whether it dies before (0), during (1) or after (2) the step.
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
const crawl = await openContext({ table: `level:${directory}`, settings, waitSeconds: 60 });
for (const [part, names] of [
  [crawl.tables, ['changeRows']],
  [crawl.tables.batches, ['change', 'clear']],
  [crawl.tables.proposals, ['read', 'put']],
  // For a crawl, writes of rows are enough steps; for an edit, only calls on the table of rules are steps.
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
  // The rule was removed before the kill.
  if (error.code !== 'UNKNOWN_RULE') throw error;
}
await crawl.close();
console.log(steps);
