import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { jobs, openContext, rules, type Report } from '../../packages/webcrawl/internal.js';
import { runs } from '../support/runs.js';
import { runWorker } from '../support/run-worker.js';
import { randomNumbers, type FakePage } from '../support/web/fake-web.js';
import { serveWeb, type ServedWeb } from '../support/web/serve-web.js';

const WORKER = fileURLToPath(new URL('rules-worker.mjs', import.meta.url));
const HOUR = 3_600_000;

type Ended = 'killed' | 'failed' | number;

/** The step at which a process dies (0: none), and whether before, during or after it. */
interface Death {
  readonly step: number;
  readonly moment: number;
}
const NEVER: Death = { step: 0, moment: 0 };

/** Runs a verb in its own process. @returns the number of its steps */
async function work(directory: string, verb: string, args: unknown, { step, moment }: Death): Promise<Ended> {
  const { isKilled, code, out, errors } = await runWorker(WORKER, directory, verb, JSON.stringify(args), step, moment);
  if (isKilled) return 'killed';
  if (code === 0) return Number(out);
  // The process that had the table open was killed, or another one has opened it in the meantime.
  if (/STORE_FAILED|TABLE_LOCKED/.test(errors)) return 'failed';
  throw new Error(`${verb} ended with ${code}: ${errors}`);
}

/** The sections of the site. The pages of each section link to pages of the others. */
const SECTIONS = ['news', 'tag', 'forum', 'old'];
const SIZE = 15;
function site(): Record<string, FakePage> {
  const pages: Record<string, FakePage> = {};
  for (const [s, section] of SECTIONS.entries()) {
    for (let i = 0; i < SIZE; i++) {
      const links = [`/${section}/${i + 1}`, `/${SECTIONS[(s + 1) % SECTIONS.length]!}/${(i * 7) % SIZE}`, `/old/${i}`];
      pages[`/${section}/${i}`] = { html: links.map((link) => `<a href="${link}">x</a>`).join('') };
    }
  }
  return { ...pages, '/': { html: SECTIONS.map((section) => `<a href="/${section}/0">x</a>`).join('') } };
}

const prefixed = (kind: string, prefix: string) => ({ kind, pattern: { prefix } });
type Edit = readonly [verb: 'add' | 'apply' | 'disable' | 'enable' | 'remove', ...args: unknown[]];
/** After all edits, one more `relevant` rule is active, and of the other rules only the one from the start. */
const EDITS: readonly Edit[] = [
  ['add', prefixed('relevant', '/news/')],
  ['add', prefixed('reject', '/tag/')],
  ['apply'],
  ['add', [prefixed('accept', '/tag/3'), prefixed('relevant', '/forum/')]],
  ['disable', 'r3'],
  ['apply'],
  ['enable', 'r3'],
  ['disable', ['r5', 'r2']],
  ['remove', 'r4', { yes: true }],
  ['apply'],
  ['enable', 'r2'],
  ['remove', ['r3', 'r5']],
  ['apply'],
];

let web: ServedWeb;
let directory: string;
beforeAll(async () => {
  web = await serveWeb(site());
  directory = await mkdtemp(join(tmpdir(), 'webcrawl-kill-'));
});
afterAll(async () => {
  await web.close();
  await rm(directory, { recursive: true, force: true });
});

/** A table with a rule that applies to some of its seeds. */
async function begin(table: string): Promise<void> {
  await using crawl = await openContext({ table: `level:${table}`, settings: { 'db.fetchIntervalDefault': 1 } });
  await jobs.inject(crawl, { seeds: ['/', '/old/3', '/old/4'].map((path) => web.origin + path) });
  await rules.add(crawl, { kind: 'reject', pattern: { prefix: '/old/' } }, { yes: true });
}

/** Crawls until nothing is due with the final rules, and returns the state without what depends on the order of fetches. */
async function end(table: string) {
  const [rows, texts]: [unknown[], string[]] = [[], []];
  let repaired: Report['counters'] = {};
  const settings = { 'fetcher.serverDelay': 0, 'db.fetchIntervalDefault': 1 };
  for (const hours of [1, 2]) {
    const now = Date.now() + hours * HOUR;
    await using crawl = await openContext({ table: `level:${table}`, settings, clock: () => now });
    await jobs.crawl(crawl, { seeds: [] });
    if (hours === 1) continue;
    await rules.apply(crawl);
    repaired = (await jobs.repair(crawl)).counters;
    const fields = [
      'relevant',
      'relevantBonus',
      'rejectedLinks',
      'refusedBy',
      'outlinks',
      'inlinks',
      'marks',
      'text',
    ] as const;
    for await (const { marks, inlinks, ...row } of crawl.pages({ fields })) {
      rows.push({ ...row, held: marks?.generate, inlinks: inlinks?.map(({ url }) => url) });
    }
    for (const rule of (await rules.list(crawl)).rules) {
      texts.push(JSON.stringify({ ...rule, createdAt: undefined, changedAt: undefined }));
    }
    expect((await jobs.repair(crawl)).counters).toEqual({ rows: rows.length });
  }
  return { rows, rules: texts, repaired };
}

/** Makes all edits in this process, one after another. */
async function editAll(table: string): Promise<void> {
  await using crawl = await openContext({ table: `level:${table}` });
  for (const [verb, ...args] of EDITS) await (rules[verb] as (...given: unknown[]) => Promise<unknown>)(crawl, ...args);
}

/** Crawls in one process after another while other processes edit the rules; each edit is repeated until it is done. */
async function crawlAndEdit(
  table: string,
  deathOf: (verb: string, tries: number) => Death,
): Promise<Record<string, number>> {
  await begin(table);
  const kills: Record<string, number> = {};
  let isEdited = false;
  const run = async (verb: string, args: unknown, tries: number): Promise<Ended> => {
    const ended = await work(table, verb, args, deathOf(verb, tries));
    if (ended === 'killed') kills[verb] = (kills[verb] ?? 0) + 1;
    return ended;
  };
  const crawling = (async () => {
    while (!isEdited) await run('crawl', { seeds: [], rounds: 12 }, 1);
  })();
  const editing = (async () => {
    try {
      for (const [verb, ...args] of EDITS) {
        let tries = 1;
        for (
          let ended = await run(verb, args, tries);
          typeof ended !== 'number';
          ended = await run(verb, args, tries)
        ) {
          if (ended === 'killed') tries += 1;
        }
      }
    } finally {
      isEdited = true;
    }
  })();
  await Promise.all([crawling, editing]);
  return kills;
}

it('rules that are edited and applied during a crawl end in the same state if all these processes are killed', async () => {
  const undisturbed = join(directory, 'undisturbed');
  await begin(undisturbed);
  await editAll(undisturbed);
  const expected = await end(undisturbed);
  expect(expected.rows.length).toBeGreaterThan(40);

  const random = randomNumbers(12);
  const disturbed = join(directory, 'disturbed');
  const upTo = (n: number): number => Math.floor(random() * n);
  const kills = await crawlAndEdit(disturbed, (verb, tries) => {
    const moment = upTo(3);
    if (verb === 'crawl') return { step: 1 + upTo(40), moment };
    if (tries > runs(2, 4)) return NEVER;
    // An edit has few steps, so it dies at each of them in turn. The number of steps of `apply` depends on the crawl, but is at least one.
    return { step: verb === 'apply' && tries > 1 ? 1 + upTo(6) : tries, moment };
  });
  const found = await end(disturbed);
  expect(found.rules).toEqual(expected.rules);
  expect(found.rows).toEqual(expected.rows);
  for (const reason of ['missing_frontier', 'missing_batch', 'missing_header', 'damaged']) {
    expect(found.repaired).not.toHaveProperty(reason);
  }
  for (const verb of ['crawl', 'add', 'disable', 'enable', 'remove', 'apply']) expect(kills).toHaveProperty(verb);
  expect(Object.values(kills).reduce((total, count) => total + count, 0)).toBeGreaterThanOrEqual(runs(10, 20));
}, 3_600_000);
