import { describe, expect, it } from 'vitest';
import { jobs, rules, type OpenContext, type Store } from '../../packages/webcrawl/internal.js';
import { copyStore } from '../support/stores/copy-store.js';
import { FailingStore, PlannedFailure } from '../support/stores/failing-store.js';
import { runs } from '../support/runs.js';
import { fakeWeb, links, randomWeb, type FakeWeb } from '../support/web/fake-web.js';
import { KILLABLE } from '../support/stores/open-stores.js';
import { START, allRows, testCrawl } from '../support/test-crawl.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const SETTINGS = {
  'db.updateMaxLinksInMemory': 1000,
  'db.updateMaxInlinks': 3,
  'fetcher.maxRedirects': 2,
  'db.fetchIntervalDefault': (5 * DAY) / 1000,
  'generate.lockExpirySeconds': (7 * DAY) / 1000,
};

/** One command that an operator runs, and when. */
interface Step {
  readonly name: string;
  readonly at: number;
  readonly run: (crawl: OpenContext, web: FakeWeb) => Promise<unknown>;
}

/** A web at a given time: its answers depend only on the time. */
function webAt(at: number): { web: FakeWeb; seeds: string[] } {
  const { pages, seeds } = randomWeb(21, 40, 3);
  // A page that links and redirects to itself, and a hub that all pages link to: here, counting twice would show.
  pages[seeds[0]!] = { html: links('/', '/self', '/news', '/late', ...Object.keys(pages).slice(0, 8)) };
  pages['http://h0.example.com/self'] = { location: '/self2' };
  pages['http://h0.example.com/self2'] = { location: '/self' };
  // Pages that change, pages that answer 304, pages that go away later, and pages that appear later.
  const day = Math.floor((at - START) / DAY);
  pages['http://h0.example.com/news'] = { html: `<html lang="${day % 2 ? 'en' : 'de'}">day ${day}` };
  pages['http://h0.example.com/p3'] = { html: links('/news'), headers: { etag: '"1"' } };
  pages['http://h0.example.com/late'] = day < 8 ? { status: 500 } : { html: 'here at last' };
  if (day > 8) delete pages['http://h1.example.com/p4'];
  return { web: fakeWeb(pages), seeds };
}

/** Every job over 22 days: pages are retried, fetched again and given up; one batch is left until it is too old. */
function steps(parseInFetch: boolean): Step[] {
  const all: Step[] = [];
  let at = START;
  const add = (name: string, run: Step['run']): void => void all.push({ name: `${name} ${all.length}`, at, run });
  const work = async (crawl: OpenContext): Promise<void> => {
    await jobs.fetch(crawl, { batch: 'all', parse: parseInFetch });
    if (!parseInFetch) await jobs.parse(crawl, { batch: 'all' });
    await jobs.updatedb(crawl, { batch: 'all' });
  };
  add('inject', (crawl) => jobs.inject(crawl, { seeds: webAt(START).seeds }));
  for (let round = 0; round < 9; round++) {
    add('generate', (crawl) => jobs.generate(crawl, { topN: 15 }));
    if (round === 4) {
      at += 8 * DAY;
      add('generate what nobody worked on', (crawl) => jobs.generate(crawl));
    }
    at += HOUR;
    add('work', work);
    at += 1.5 * DAY;
  }
  return all;
}

const comparable = (rows: unknown): unknown =>
  JSON.parse(
    JSON.stringify(rows, (key, value: unknown) => {
      // A batch that had to be selected again has another id, and sums differ in the last digits.
      if (key === 'marks') return Object.keys(value as object).sort();
      return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toFixed(9)) : value;
    }),
  );

/** Runs a step as a new process would, and closes nothing after it. */
async function runStep(step: Step, store: Store): Promise<OpenContext> {
  const { web } = webAt(step.at);
  const crawl = await testCrawl(web, { store, settings: SETTINGS });
  crawl.setTime(step.at);
  await step.run(crawl, web);
  return crawl;
}

async function expectNothingMissing(crawl: OpenContext, where: string): Promise<void> {
  const { counters } = await jobs.repair(crawl);
  const missing = Object.keys(counters).filter((reason) => reason.startsWith('missing'));
  expect(missing, where).toEqual([]);
}

/** The number of failures tried, spread evenly over all writes of all steps; after `toTheEnd` of them the crawl runs to its end. */
const POINTS: Readonly<Record<string, { readonly tried: number; readonly toTheEnd: number }>> = {
  MemoryStore: { tried: runs(60, 400), toTheEnd: runs(3, 10) },
  'LevelStore on memory-level': { tried: runs(16, 100), toTheEnd: runs(1, 4) },
};

describe.each(Object.entries(KILLABLE))(
  'a crawl on %s that fails between two row writes and is run again',
  (kind, place) => {
    it.each([
      ['with parse as a job of its own, where no rule is', false, false],
      ['with parse in fetch, repaired before it goes on, where some pages are useful', true, true],
    ])('ends in the same rows wherever it failed, %s', async (_, parseInFetch, repairs) => {
      const all = steps(parseInFetch);
      const before: Store[] = [];
      const after: unknown[] = [];
      const writes: number[] = [];
      let open = place();
      if (repairs) {
        const crawl = await testCrawl(undefined, { store: open() });
        await rules.add(crawl, { kind: 'relevant', pattern: { regex: '/p[0-9]*[05]$' } });
      }
      for (const step of all) {
        before.push(await copyStore(open()));
        const counting = new FailingStore(open());
        const crawl = await runStep(step, counting);
        writes.push(counting.writes);
        after.push(comparable(await allRows(crawl)));
      }
      const total = writes.reduce((sum, n) => sum + n, 0);
      expect(total).toBeGreaterThan(1000);
      // Pages were fetched again, changed and unchanged, given up after retries, and taken over from an abandoned batch.
      expect(new Set((after.at(-1) as { status: string }[]).map(({ status }) => status))).toEqual(
        new Set(['fetched', 'notmodified', 'gone', 'redir_perm', 'redir_temp']),
      );
      expect(after.at(-1)).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ url: 'http://h0.example.com/late', status: 'fetched', retries: 0 }),
          expect.objectContaining({ url: 'http://h0.example.com/news', prevSignature: expect.any(String) as string }),
        ]),
      );

      const { tried, toTheEnd } = POINTS[kind]!;
      // The variants try different writes.
      let next = repairs ? total / tried / 2 : 1;
      let done = 0;
      let passed = 0;
      for (const [i, step] of all.entries()) {
        for (; next <= passed + writes[i]!; next += total / tried) {
          const failAt = Math.max(1, Math.floor(next - passed));
          const where = `${step.name}, write ${failAt}`;
          open = place();
          await copyStore(before[i]!, open());
          await expect(runStep(step, new FailingStore(open(), failAt)), where).rejects.toThrow(PlannedFailure);

          if (repairs) {
            const crawl = await testCrawl(undefined, { store: open(), settings: SETTINGS });
            crawl.setTime(step.at);
            await expectNothingMissing(crawl, where);
          }
          const crawl = await runStep(step, open());
          expect(comparable(await allRows(crawl)), where).toEqual(after[i]);
          if (++done % Math.floor(tried / toTheEnd) === 0) {
            for (const later of all.slice(i + 1)) await runStep(later, open());
            expect(comparable(await allRows(crawl)), `${where}, at the end`).toEqual(after.at(-1));
          }
          await expectNothingMissing(crawl, `${where}, run again`);
        }
        passed += writes[i]!;
      }
      expect(done).toBeGreaterThan(tried - 2);
    });
  },
);
