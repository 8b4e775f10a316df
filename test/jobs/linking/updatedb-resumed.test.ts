import { describe, expect, it } from 'vitest';
import { MemoryStore, jobs, type OpenContext, type Store } from '../../../packages/webcrawl/internal.js';
import { copyStore } from '../../support/stores/copy-store.js';
import { FailingStore, PlannedFailure } from '../../support/stores/failing-store.js';
import { fakeWeb, links, type FakeWeb } from '../../support/web/fake-web.js';
import { rowOf, start } from '../../support/job-steps.js';
import { START, allRows, testCrawl } from '../../support/test-crawl.js';
import { runs } from '../../support/runs.js';

const DAY = 86_400_000;
const HUB = 'http://hub.com/';
const SETTINGS = { 'generate.lockExpirySeconds': 7 * 86_400 };
const sources = Array.from({ length: runs(8, 16) }, (_, i) => `http://s${i}.com/`);

/** Pages on many hosts that all link to one. */
function hubWeb(): FakeWeb {
  return fakeWeb(Object.fromEntries(sources.map((url) => [url, links(HUB)])));
}

/** A crawl with so little memory for links that each page passes on its links separately, so the hub is written for each page. */
function sliced<C extends OpenContext>(crawl: C): C {
  const { settings } = crawl;
  return { ...crawl, settings: { ...settings, db: { ...settings.db, updateMaxLinksInMemory: 1 } } };
}

/** Runs a job on a store that fails at a row write; returns whether the job ended before that write. */
async function cut(
  store: Store,
  failAt: number,
  web: FakeWeb,
  job: (crawl: OpenContext) => Promise<unknown>,
): Promise<boolean> {
  const crawl = await testCrawl(web, { store: new FailingStore(store, failAt), settings: SETTINGS });
  try {
    await job(sliced(crawl));
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(PlannedFailure);
    return false;
  }
}

describe('updatedb that continues after a kill', () => {
  it('passes on each link once, even if repair has cleaned up the batch meanwhile', async () => {
    // Fetches that are killed during redirects may leave index entries of pages that were never written.
    const store = new MemoryStore();
    const web = hubWeb();
    const moved = 'http://moved.com/';
    web.set(moved, { location: 'http://target0.com/' });
    const first = await testCrawl(web, { store, settings: SETTINGS });
    const batch = await start(first, moved, ...sources);
    for (let failAt = 1; ; failAt++) {
      web.set(moved, { location: `http://target${failAt}.com/` });
      if (await cut(store, failAt, web, (crawl) => jobs.fetch(crawl, { batch, parse: true }))) break;
    }

    const whole = await copyStore(store);
    await using undisturbed = await testCrawl(web, { store: whole, settings: SETTINGS });
    await jobs.updatedb(sliced(undisturbed), { batch });
    const expected = await allRows(undisturbed);
    expect(expected.find(({ url }) => url === HUB)).toMatchObject({
      score: sources.length,
      inlinkCount: sources.length,
    });

    let cuts = 0;
    for (let failAt = 2; ; failAt += 3) {
      const copy = await copyStore(store);
      if (await cut(copy, failAt, web, (crawl) => jobs.updatedb(crawl, { batch }))) break;
      cuts += 1;
      await using crawl = await testCrawl(web, { store: copy, settings: SETTINGS });
      await jobs.repair(crawl);
      await jobs.updatedb(sliced(crawl), { batch });
      expect(await allRows(crawl), `cut at write ${failAt}`).toEqual(expected);
    }
    expect(cuts).toBeGreaterThan(sources.length / 2);
  });

  it('passes on every link once, however long the batch was left alone', async () => {
    const store = new MemoryStore();
    const web = hubWeb();
    const first = await testCrawl(web, { store, settings: SETTINGS });
    const batch = await start(first, ...sources);
    await jobs.fetch(first, { batch, parse: true });
    let cuts = 0;
    for (let failAt = 2; ; failAt += 3) {
      const copy = await copyStore(store);
      if (await cut(copy, failAt, web, (crawl) => jobs.updatedb(crawl, { batch }))) break;
      cuts += 1;
      await using crawl = await testCrawl(web, { store: copy, settings: SETTINGS });
      crawl.setTime(START + 8 * DAY);
      await jobs.generate(crawl, { topN: 5 });
      do {
        await jobs.fetch(crawl, { batch: 'all', parse: true });
        await jobs.updatedb(sliced(crawl), { batch: 'all' });
      } while ((await jobs.generate(crawl)).batchId !== undefined);
      const { inlinks = [], score } = await rowOf(crawl, HUB, 'inlinks', 'score');
      expect(score, `cut at write ${failAt}`).toBe(sources.length);
      expect(inlinks.map(({ url }) => url).sort(), `cut at write ${failAt}`).toEqual([...sources].sort());
    }
    expect(cuts).toBeGreaterThan(sources.length / 2);
  });
});
