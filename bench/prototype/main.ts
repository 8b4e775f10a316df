/**
 * A prototype of the next design, to measure its cost: fetch workers that own hosts by hash, with sockets, queues, delays,
 * robots.txt, scan, rules and a segment file each, so that bodies never cross threads; a table thread that appends each group
 * of row changes to a journal with CRCs, holds rows decoded in memory, and puts each row into LevelDB once a round, in order of
 * keys; inlinks as one sorted run a round. After `kill -9` the journal is replayed, and the crawl goes on.
 *
 * It stores what webcrawl stores of a page: status, times, title, text, head, body, digest, outlinks with anchors, and inlinks.
 * Its figure is that of a crawl of a web that behaves. It leaves out:
 *
 * - generate, frontier and updatedb as jobs: no score beyond a constant, no schedule, no batches, no next fetch; pages are asked
 *   for in the order in which their host's worker finds them;
 * - memory bounds: rows, and the URLs that a worker knows, stay in memory for the whole crawl; rows of earlier rounds would have to be
 *   read again by key, and URLs be known by a fingerprint;
 * - back-off, retries over time, redirects of robots.txt, sitemaps, crawl scopes but the hosts of the seeds;
 * - of HTTP: TLS, content codings, the lenient reader, the address guard, proxies, cookies, conditions, versions of bodies;
 * - parsers but those of HTML and plain text, plugins of users, rules of the table, hooks, languages, headings, metadata;
 * - that other processes use the table meanwhile, counters and status, and the removal of old bodies.
 *
 * Usage: main.js --seeds "<url> …" --stay host|any --out <folder> --rules <file> [--concurrency 64] [--workers n] [--delay ms] [--round pages]
 */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { readShippedFile, settingsSchema } from '../../config/index.js';
import { applyUrlChain } from '../../packages/plugin-api/index.js';
import { urlPlugins } from '../../packages/webcrawl/plugins/page-plugins.js';
import { hostnameOf } from './messages.js';
import { crawl } from './table-thread.js';

/** Pages of a round. */
const ROUND_PAGES = 10_000;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '' },
    stay: { type: 'string', default: 'host' },
    out: { type: 'string', default: '.' },
    rules: { type: 'string' },
    concurrency: { type: 'string', default: '64' },
    workers: { type: 'string', default: String(Math.max(1, availableParallelism() - 1)) },
    delay: { type: 'string', default: '0' },
    round: { type: 'string', default: String(ROUND_PAGES) },
  },
});
const settings = settingsSchema.parse({ db: { maxOutlinksPerPage: -1 } });
const rules = {
  normalize: readShippedFile('regex-normalize.txt'),
  regex: values.rules === undefined ? readShippedFile('regex-urlfilter.txt') : readFileSync(values.rules, 'utf8'),
  prefix: undefined,
  suffix: undefined,
  domain: undefined,
};
const plugins = urlPlugins(settings, rules);
const seeds = values.seeds
  .split(/\s+/)
  .filter(Boolean)
  .flatMap((seed) => {
    const verdict = applyUrlChain(plugins, seed, 'inject');
    return verdict.accepted ? [verdict.url] : [];
  });
const report = await crawl({
  settings,
  rules,
  seeds,
  hosts: values.stay === 'host' ? [...new Set(seeds.map(hostnameOf))] : undefined,
  folder: values.out,
  workers: Number(values.workers),
  concurrency: Number(values.concurrency),
  delayMs: Number(values.delay),
  roundPages: Number(values.round),
});
console.log(JSON.stringify(report));
