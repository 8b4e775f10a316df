// Crawls in its own process, so that its memory can be limited and measured. It takes one message: the directory of the table,
// settings, options and seeds of the crawl, DNS answers, and the days to crawl on. It answers with counters, rows and
// measurements.
import { explain, jobs, openContext } from '../../dist/tests/webcrawl.js';

const unhandled = [];
process.on('unhandledRejection', (reason) => unhandled.push(String(reason?.stack ?? reason)));
process.on('uncaughtException', (error) => unhandled.push(String(error?.stack ?? error)));
let done = false;
process.on('beforeExit', () => {
  // The process ends while something is still awaited that can no longer happen.
  if (!done) process.exitCode = 3;
});
process.on('warning', (warning) => unhandled.push(String(warning)));

const FIELDS = ['protocolStatus', 'parseStatus', 'title', 'text', 'headers', 'outlinks', 'pageMetadata', 'retries'];

process.once('message', async ({ directory, settings, options, seeds, dns, days = [0] }) => {
  const asked = new Map();
  const lookup = (host) => {
    const answers = dns[host] ?? [['127.0.0.1']];
    if (answers === 'hangs') return new Promise(() => {});
    if (answers === 'fails') return Promise.reject(Object.assign(new Error(`no ${host}`), { code: 'ESERVFAIL' }));
    const time = asked.get(host) ?? 0;
    asked.set(host, time + 1);
    return Promise.resolve(answers[Math.min(time, answers.length - 1)]);
  };
  // The clock stands still for a day, so that neither waiting times nor due times depend on the speed of the machine.
  let day = 0;
  const start = Date.now();
  const clock = () => start + day * 86_400_000;
  const crawl = await openContext({ table: `level:${directory}`, settings, lookup, clock });
  const counters = [];
  for (day of days) counters.push((await jobs.crawl(crawl, { ...options, seeds })).counters);
  const repaired = await jobs.repair(crawl);
  const rows = [];
  for await (const row of crawl.pages({ fields: FIELDS })) {
    const { backoff } = row.protocolStatus ? {} : await explain(crawl, row.url);
    // Why there was no answer: from the page, or from its host if the row is unchanged.
    const why = row.protocolStatus?.message ?? backoff?.message;
    rows.push({ ...row, text: row.text?.slice(0, 1000), ...(why !== undefined && { why }) });
  }
  await crawl.close();
  const answer = {
    counters,
    repaired: repaired.counters,
    rows,
    // Shows a polluted prototype.
    polluted: Object.keys(Object.prototype),
    megabytes: process.resourceUsage().maxRSS / 1024,
    unhandled,
  };
  done = true;
  // From here on nothing may keep the process alive: it must end by itself.
  process.send(answer, () => process.disconnect());
});
