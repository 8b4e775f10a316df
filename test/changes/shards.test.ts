import { jobRun } from '../../packages/jobs/context.js';
import { withoutScope } from '../../packages/jobs/scope/in-scope.js';
import { updateAndCount } from '../../packages/jobs/updatedb.js';
import { expect, it } from 'vitest';
import { inSlots, slotsOf } from '../../packages/jobs/shards/job-slots.js';
import { MemoryStore, changes, jobs, type OpenContext } from '../../packages/webcrawl/internal.js';
import { FailingStore, PlannedFailure } from '../support/stores/failing-store.js';
import { START, testCrawl } from '../support/test-crawl.js';
import { fakeWeb, randomNumbers, type FakeWeb } from '../support/web/fake-web.js';

const DAY = 86_400_000;
const COUNT = 3;
const URLS = Array.from({ length: 60 }, (_, i) => `http://h${i % 12}.com/${i}`);

function makeWeb(): FakeWeb {
  return fakeWeb(Object.fromEntries(URLS.map((url, i) => [url, `<title>${i}</title><p>Text of this page.`])));
}

/** One host fails completely, others change. */
function changeWeb(web: FakeWeb): void {
  for (const [i, url] of URLS.entries()) {
    if (i % 12 === 0) web.set(url, { status: 410 });
    else if (i % 3 === 0) web.set(url, `<title>new ${i}</title><p>Text of this page.`);
  }
}

/** A worker closes its part of a batch, which was generated for the whole table. */
const updatePart = (crawl: OpenContext, batch: string, index: number) =>
  inSlots(crawl, { job: 'updatedb' }, { slots: slotsOf(crawl, { shard: { index, count: COUNT } }) }, (jobSlots) =>
    updateAndCount(jobRun(withoutScope(crawl), jobSlots), { batch }),
  );

const isClosed = async ({ tables: { batches } }: OpenContext, batch: string): Promise<boolean> =>
  (await batches.get(batch)).state === 'closed';

async function log(crawl: OpenContext): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const { cursor, ...record } of changes(crawl, { since: 0 }))
    found.push([cursor.replace(/\|.*\|/, ' '), record]);
  return found;
}

/** Two rounds on one table. @param update closes a batch */
async function crawled(update: (crawl: OpenContext, store: MemoryStore, batch: string, web: FakeWeb) => Promise<void>) {
  const store = new MemoryStore();
  const web = makeWeb();
  const crawl = await testCrawl(web, { store });
  await jobs.inject(crawl, { seeds: URLS });
  for (const now of [START, START + 40 * DAY]) {
    crawl.setTime(now);
    const { batchId = '' } = await jobs.generate(crawl);
    await jobs.fetch(crawl, { batch: batchId, parse: true });
    await update(crawl, store, batchId, web);
    changeWeb(web);
  }
  const { baseline } = await changes(crawl, { since: 0 }).summary();
  return { log: await log(crawl), baseline };
}

it('the log is the same whether one worker closes a batch or several do, also if they are killed', async () => {
  const alone = await crawled(async (crawl, _, batch) => void (await jobs.updatedb(crawl, { batch })));
  // Fifteen pages of other hosts, and the entry of the failing host.
  expect(alone.log).toHaveLength(16);
  expect(alone.baseline).toBe(URLS.length);
  const sharded = await crawled(async (crawl, _, batch) => {
    for (let index = 0; index < COUNT; index++) {
      expect(await isClosed(crawl, batch)).toBe(false);
      await updatePart(crawl, batch, index);
    }
    expect(await isClosed(crawl, batch)).toBe(true);
  });
  expect(sharded).toEqual(alone);

  const random = randomNumbers(5);
  let kills = 0;
  const killed = await crawled(async (crawl, store, batch, web) => {
    for (let most = 30; !(await isClosed(crawl, batch)); most += 20) {
      for (let index = 0; index < COUNT; index++) {
        const failing = await testCrawl(web, {
          store: new FailingStore(store, 1 + Math.floor(random() * most)),
        });
        failing.setTime(crawl.clock());
        try {
          await updatePart(failing, batch, index);
        } catch (error) {
          if (!(error instanceof PlannedFailure)) throw error;
          kills++;
        }
      }
    }
  });
  expect(kills).toBeGreaterThan(3);
  expect(killed).toEqual(alone);
});
