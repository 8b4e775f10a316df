import { expect, it } from 'vitest';
import { jobs, openTables } from '../../../packages/webcrawl/internal.js';
import type { SlotProgress } from '../../../webtable/index.js';
import { START, testCrawl } from '../../support/test-crawl.js';
import { VersionedStore } from '../../support/versions/versioned-store.js';

const LEFT = `${START / 1000 - 60}-1`;

/** Calls `before` just before the progress of a slot changes. */
class WatchedStore extends VersionedStore {
  before: ((key: string) => Promise<void>) | undefined;

  override async writeUnchanged(...args: Parameters<VersionedStore['writeUnchanged']>): Promise<boolean[]> {
    const before = this.before;
    const key = args[1].find(({ change }) => change.key.startsWith(`p|${LEFT}|`))?.change.key;
    if (key !== undefined && before) {
      this.before = undefined;
      await before(key);
    }
    return super.writeUnchanged(...args);
  }
}

/** A generate of two shards leaves a batch unfinished; another one begins to release it, and `meanwhile` runs. */
async function takingBack(meanwhile: (others: Awaited<ReturnType<typeof openTables>>) => Promise<void>) {
  const store = new WatchedStore(() => 0);
  const others = await openTables(store, { slots: 4 });
  const crawl = await testCrawl(undefined, { store });
  await jobs.inject(crawl, { seeds: ['http://a.com/', 'http://b.com/'] });
  await jobs.generate(crawl, { batch: LEFT, shard: { index: 0, count: 2 } });
  expect((await others.batches.find(LEFT))?.state).toBe('generating');
  store.before = () => meanwhile(others);
  await jobs.generate(crawl, { batch: `${START / 1000}-2`, shard: { index: 0, count: 2 } });
  expect(store.before).toBeUndefined();
  return others;
}

it('generate keeps the progress that another worker, the present owner of the slot, stored meanwhile', async () => {
  const noted: SlotProgress = { generated: 2 };
  const tables = await takingBack((others) => others.batches.changeProgress(LEFT, ['00', '02'], () => noted));
  const progress = await tables.batches.progress(LEFT);
  expect([progress.get('00'), progress.get('02')]).toEqual([noted, noted]);
});

it('generate stores no progress for a batch that is removed meanwhile', async () => {
  const tables = await takingBack(async (others) => {
    await others.batches.delete(LEFT);
  });
  expect(await tables.batches.noted()).not.toContain(LEFT);
  expect(await tables.batches.find(LEFT)).toBeUndefined();
});
