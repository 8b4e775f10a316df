// Crawls in a process of its own, so that its memory can be measured and held. Takes one message: the directory of the table,
// settings, options and seeds of the crawl, what DNS says, and the days to crawl on; answers with counters, rows and measurements.
import { explain, jobs, openContext } from '../../dist/tests/webcrawl.js';

const unhandled = [];
process.on('unhandledRejection', (reason) => unhandled.push(String(reason?.stack ?? reason)));
process.on('uncaughtException', (error) => unhandled.push(String(error?.stack ?? error)));
let done = false;
process.on('beforeExit', () => {
  // Something is waited for that nothing is left to bring.
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
  // It stands still for a day, so that what is waited for, and what is due, is no matter of how fast the machine is.
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
    // Why there was no answer: of the page, or of its host where the page was left as it was.
    const why = row.protocolStatus?.message ?? backoff?.message;
    rows.push({ ...row, text: row.text?.slice(0, 1000), ...(why !== undefined && { why }) });
  }
  await crawl.close();
  const answer = {
    counters,
    repaired: repaired.counters,
    rows,
    // Were it polluted, it would show here.
    polluted: Object.keys(Object.prototype),
    megabytes: process.resourceUsage().maxRSS / 1024,
    unhandled,
  };
  done = true;
  // After that nothing may keep the process: it has to end by itself.
  process.send(answer, () => process.disconnect());
});
