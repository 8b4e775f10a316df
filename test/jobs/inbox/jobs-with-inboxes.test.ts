import { describe, expect, it } from 'vitest';
import { jobs, openTables, rowKeyOf, status } from '../../../packages/webcrawl/internal.js';
import { select, rowOf } from '../../support/job-steps.js';
import { testCrawl } from '../../support/test-crawl.js';
import { TimedStore } from '../../support/stores/timed-store.js';
import { fakeWeb, links } from '../../support/web/fake-web.js';

const HOSTS = Array.from({ length: 20 }, (_, i) => `http://h${i}.com/`);

/** A shared table with a page that links to all hosts. Links into one slot were added, the others wait in the inboxes. */
async function filledInboxes() {
  const store = new TimedStore(() => 0, { turn: async () => {} });
  const { slots } = await openTables(store, { slots: 3 });
  const [source] = HOSTS as [string];
  const crawl = await testCrawl(fakeWeb({ [source]: links(...HOSTS) }), { store });
  await jobs.inject(crawl, { seeds: [source] });
  const shard = { index: slots.all.indexOf(slots.ofRow(rowKeyOf(source))), count: 3 };
  const { batchId: batch = '' } = await jobs.generate(crawl, { shard });
  await jobs.fetch(crawl, { batch, parse: true });
  const { counters } = await jobs.updatedb(crawl, { batch });
  const sent = HOSTS.filter((url) => slots.ofRow(rowKeyOf(url)) !== slots.ofRow(rowKeyOf(source)));
  expect(counters.links_sent).toBe(sent.length);
  return { crawl, batch, sent };
}

describe('links that wait in inboxes', () => {
  it('are shown by status', async () => {
    const { crawl, sent } = await filledInboxes();
    expect(await status(crawl)).toMatchObject({ inInboxes: sent.length, batchesToIndex: 0 });
    await select(crawl);
    expect(await status(crawl)).toMatchObject({ inInboxes: 0 });
    await using embedded = await testCrawl(undefined);
    expect(await status(embedded)).not.toHaveProperty('inInboxes');
  });

  it('are added by repair, which then closes their batch', async () => {
    const { crawl, batch, sent } = await filledInboxes();
    expect((await jobs.repair(crawl)).counters).toEqual({
      fold_added: sent.length,
      fold_links: sent.length,
      rows: HOSTS.length,
    });
    expect(await crawl.tables.batches.get(batch)).toMatchObject({ state: 'closed' });
    expect((await jobs.repair(crawl)).counters).toEqual({ rows: HOSTS.length });
  });

  it('do not bring back a page that remove has removed', async () => {
    const { crawl, sent } = await filledInboxes();
    const [gone] = sent as [string];
    const { counters } = await jobs.remove(crawl, { host: new URL(gone).host });
    expect(counters).toMatchObject({ fold_added: sent.length, removed: 1 });
    await select(crawl);
    expect(await rowOf(crawl, gone, 'status')).toEqual({});
  });
});
