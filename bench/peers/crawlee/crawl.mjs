// Crawls a site with Crawlee's CheerioCrawler: its request queue and dataset on disk, as it keeps them, and every body in
// one file. The last line of standard output is the count of pages, as JSON.
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CheerioCrawler, Dataset, log } from '@crawlee/cheerio';

const { values: task } = parseArgs({
  options: {
    seeds: { type: 'string' },
    out: { type: 'string' },
    stay: { type: 'string' },
    reject: { type: 'string' },
    concurrency: { type: 'string' },
  },
});
// JavaScript has no flags within a pattern.
const reject = new RegExp(task.reject.replace('(?i)', ''), 'i');
const seeds = task.seeds.split(' ');
const hostnames = new Set(seeds.map((seed) => new URL(seed).hostname));
const bodies = openSync(join(task.out, 'bodies'), 'w');
// Checked before a request is added: this is faster than the request queue, which would detect it too.
const seen = new Set(seeds);
let pages = 0;
let offset = 0;

log.setLevel(log.LEVELS.ERROR);
const crawler = new CheerioCrawler({
  minConcurrency: Math.ceil(task.concurrency / 2),
  maxConcurrency: Number(task.concurrency),
  maxRequestRetries: 1,
  useSessionPool: false,
  persistCookiesPerSession: false,
  additionalMimeTypes: ['*/*'],
  async requestHandler({ request, response, body, $ }) {
    if (response.statusCode !== 200) return;
    pages += 1;
    const content = Buffer.from(body);
    writeSync(bodies, content);
    const place = { offset, length: content.length };
    offset += content.length;
    const links = $ ? linksOf($, request.loadedUrl) : [];
    await Dataset.pushData({ url: request.loadedUrl, title: $?.('title').first().text(), links, ...place });
    const wanted = links.filter(isWanted);
    for (const link of wanted) seen.add(link);
    if (wanted.length > 0) await crawler.addRequests(wanted);
  },
});
await crawler.run(seeds);
closeSync(bodies);
console.log(JSON.stringify({ pages }));

function linksOf($, base) {
  const raw = new Set();
  for (const element of $('a[href], area[href], frame[src], iframe[src]').get()) {
    raw.add((element.attribs.href ?? element.attribs.src).replace(/#.*$/s, ''));
  }
  const links = new Set();
  for (const href of raw) if (URL.canParse(href, base)) links.add(new URL(href, base).href);
  return [...links];
}

function isWanted(link) {
  if (seen.has(link) || !/^https?:/.test(link) || reject.test(link)) return false;
  return task.stay === 'any' || hostnames.has(new URL(link).hostname);
}
