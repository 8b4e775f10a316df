// Crawls until nothing is due, as a process that can be killed. It reads its job from standard input, as JSON: the directory of
// the table, the seeds, and the settings. Every name has the address 127.0.0.1, and any certificate is accepted. A failed page
// is due again at once, not in a day, so only the wait of its host delays the next request.
// SIGTERM stops it. Prints JSON: the counters of the crawl, and the number of due pages at the end.
/* global AbortController */
import { json } from 'node:stream/consumers';
import { defaultSchedule, httpProtocol, jobs, loadSettings, openContext } from '../../dist/tests/webcrawl.js';

const { directory, seeds, settings } = await json(process.stdin);
const lookup = async () => ['127.0.0.1'];
const { http, db } = loadSettings({ overrides: settings }).settings;
const protocol = httpProtocol(http, { lookup, connect: { rejectUnauthorized: false } });
const { schedule } = defaultSchedule(db);
const soon = {
  ...schedule,
  afterRetry: (before, fetchedAt) => ({ ...schedule.afterRetry(before, fetchedAt), dueAt: fetchedAt }),
};
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());

const crawl = await openContext({
  table: `level:${directory}`,
  settings,
  lookup,
  plugins: [{ name: 'of-test', protocol, schedule: soon }],
});
const { counters } = await jobs.crawl(crawl, { seeds, stay: 'any', signal: stop.signal });
let due = 0;
for await (const { dueAt } of crawl.pages({ fields: ['dueAt'] })) if (dueAt <= Date.now()) due += 1;
await crawl.close();
console.log(JSON.stringify({ counters, due }));
