import { describe, expect, it } from 'vitest';
import {
  MemoryStore,
  changes,
  jobs,
  type ChangesOptions,
  type LoggedRecord,
  type OpenContext,
  type Store,
} from '../../packages/webcrawl/internal.js';
import { CHANGE_KINDS } from '../../webtable/index.js';
import { select } from '../support/job-steps.js';
import { runs, seeds } from '../support/runs.js';
import { FailingStore, PlannedFailure } from '../support/stores/failing-store.js';
import { START, testCrawl } from '../support/test-crawl.js';
import { fakeWeb, randomNumbers, type FakePage } from '../support/web/fake-web.js';

const DAY = 86_400_000;
const ROUNDS = 8;
/** So few pages per host that none looks broken. */
const URLS = Array.from({ length: 12 }, (_, i) => `http://h${i % 4}.example.com/${i}`);

/** A page as its owner sees it. */
interface Site {
  readonly title: number;
  readonly text: number;
  readonly link: number;
  readonly noindex: boolean;
  readonly stamp: number;
  readonly answer: 'page' | 'redirect' | 'missing' | 'gone' | 'denied' | 'failing';
}

function shown({ title, text, link, noindex, stamp, answer }: Site): FakePage {
  if (answer === 'redirect') return { location: '/' };
  if (answer !== 'page') return { status: { missing: 404, gone: 410, denied: 403, failing: 503 }[answer] };
  const head = `<title>Title ${'i'.repeat(title)}</title>${noindex ? '<meta name=robots content=noindex>' : ''}`;
  return { html: `${head}<p>Text ${'i'.repeat(text)} of the page.<p>x<a href="/l${link}"></a><!-- ${stamp} -->` };
}

/** A simple model of the changes of one page; it stores the last state that it reported. */
class Model {
  #shown: Site | undefined;
  #stood: 'page' | 'redirect' | undefined;
  #failures: { missing: number | undefined; isShown: 'no' | 'status' | 'gone' } | undefined;

  fetch(site: Site, at: number): string[] {
    const { answer } = site;
    if (answer === 'page' || answer === 'redirect') return this.#answered(site, answer);
    const before = this.#failures;
    const isMissing = answer === 'missing' || answer === 'gone';
    const missing = isMissing ? (before?.missing ?? at) : undefined;
    this.#failures = { missing, isShown: before?.isShown ?? 'no' };
    if (!this.#stood || this.#failures.isShown === 'gone') return [];
    if (!before && answer === 'failing') return [];
    if (answer === 'gone' || (missing !== undefined && at - missing >= DAY)) {
      this.#failures.isShown = 'gone';
      return ['gone'];
    }
    if (this.#failures.isShown === 'status') return [];
    this.#failures.isShown = 'status';
    return ['status'];
  }

  #answered(site: Site, answer: 'page' | 'redirect'): string[] {
    const kinds = new Set<string>();
    const { isShown } = this.#failures ?? {};
    if (isShown === 'gone') kinds.add('back');
    if (isShown === 'status') kinds.add('status');
    if (this.#stood && this.#stood !== answer) kinds.add('redirect');
    if (!this.#stood && answer === 'page') kinds.add('new');
    const before = this.#shown;
    if (answer === 'page' && before) {
      if (before.title !== site.title) kinds.add('title');
      if (before.text !== site.text) kinds.add('content');
      if (before.link !== site.link) kinds.add('links');
      if (before.noindex !== site.noindex) kinds.add('noindex');
      if (kinds.size === 0 && before.stamp !== site.stamp) kinds.add('bytes');
    }
    if (answer === 'page') this.#shown = site;
    this.#stood = answer;
    this.#failures = undefined;
    return [...kinds];
  }
}

const mutations: readonly ((random: () => number) => Partial<Site>)[] = [
  () => ({}),
  () => ({}),
  (random) => ({ title: 1 + Math.floor(random() * 5) }),
  (random) => ({ text: 1 + Math.floor(random() * 5) }),
  (random) => ({ link: 1 + Math.floor(random() * 5) }),
  (random) => ({ noindex: random() < 0.5 }),
  (random) => ({ stamp: Math.floor(random() * 99) }),
  () => ({ answer: 'redirect' }),
  () => ({ answer: 'missing' }),
  () => ({ answer: 'gone' }),
  () => ({ answer: 'denied' }),
  () => ({ answer: 'failing' }),
  () => ({ answer: 'page' }),
  () => ({ answer: 'page' }),
];

const shownOf = (record: LoggedRecord): string =>
  record.type === 'page'
    ? `${record.url} ${[...record.kinds].sort().join(',')} ${record.between.to - START}`
    : record.host;

async function read(crawl: OpenContext, options: ChangesOptions): Promise<LoggedRecord[]> {
  const records: LoggedRecord[] = [];
  for await (const record of changes(crawl, { kinds: CHANGE_KINDS, ...options })) records.push(record);
  return records;
}

/** Runs updatedb with failures between its writes until it ends. */
async function updateWithFailures(
  store: Store,
  batch: string,
  now: number,
  random: () => number,
  look: () => Promise<void>,
) {
  for (let most = 40; ; most *= 2) {
    const failing = new FailingStore(store, 1 + Math.floor(random() * most));
    const crawl = await testCrawl(undefined, { store: failing });
    crawl.setTime(now);
    try {
      await jobs.updatedb(crawl, { batch });
      return;
    } catch (error) {
      if (!(error instanceof PlannedFailure)) throw error;
    }
    await look();
  }
}

describe('a reader of changes', () => {
  it.each(seeds(4, 60))(
    'sees each change once, whatever is killed and however clocks jump: seed %i',
    async (seed) => {
      const random = randomNumbers(seed + 1);
      const store = new MemoryStore();
      const web = fakeWeb({});
      const crawl = await testCrawl(web, { store });
      const sites = new Map<string, Site>(
        URLS.map((url) => [url, { title: 1, text: 1, link: 1, noindex: false, stamp: 1, answer: 'page' }]),
      );
      const models = new Map(URLS.map((url) => [url, new Model()]));
      const expected: string[] = [];
      const seen: LoggedRecord[] = [];
      /** Continues after the last entry. */
      const look = async (): Promise<void> => {
        const cursor = seen.at(-1)?.cursor;
        seen.push(...(await read(crawl, cursor === undefined ? { since: 0 } : { cursor })));
      };
      await jobs.inject(crawl, { seeds: URLS });
      await crawl.tables.changes.mark('begin', START, new Set());
      let kills = 0;
      for (let n = 0, now = START; n < ROUNDS; n++, now += (random() < 0.5 ? 0.4 : 1.5) * DAY) {
        for (const [url, site] of sites) {
          const mutate = mutations[Math.floor(random() * mutations.length)]!;
          if (n > 0) sites.set(url, { ...site, ...mutate(random) });
          web.set(url, shown(sites.get(url)!));
        }
        crawl.setTime(now);
        const keys = await read(crawl, { since: 0 });
        expect(keys.length).toBe(seen.length);
        await makeAllDue(crawl, now);
        const batch = await select(crawl);
        await jobs.fetch(crawl, { batch, parse: true });
        for (const [url, model] of models) {
          const kinds = model.fetch(sites.get(url)!, now);
          if (kinds.length > 0) expected.push(`${url} ${kinds.sort().join(',')} ${now - START}`);
        }
        // The clock of the updating process is wrong by up to ten days.
        const wrong = now + (random() - 0.5) * 20 * DAY;
        await updateWithFailures(store, batch, wrong, random, async () => {
          kills++;
          await look();
        });
        await look();
      }
      expect(kills).toBeGreaterThan(0);
      expect(seen.map(shownOf).sort()).toEqual(expected.sort());
      expect(seen.map(({ cursor }) => cursor)).toEqual((await read(crawl, { since: 0 })).map(({ cursor }) => cursor));
      expect(new Set(seen.map(({ cursor }) => cursor)).size).toBe(seen.length);
    },
    60_000 * runs(1, 10),
  );
});

async function makeAllDue(crawl: OpenContext, now: number): Promise<void> {
  const keys: string[] = [];
  for await (const { key } of crawl.tables.pages.scan({ fields: ['status'] })) keys.push(key);
  await crawl.tables.changeRows(keys, ['dueAt'], now, (rows) =>
    rows.map(
      (row) =>
        row && {
          key: row.key,
          set: { dueAt: row.key.endsWith('/') || row.key.includes('/l') ? now + 999 * DAY : now },
        },
    ),
  );
}
