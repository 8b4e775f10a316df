import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { createTable, jobs, openContext } from '../../packages/webcrawl/internal.js';
import { fakeGateway } from '../support/hbase/fake-gateway.js';
import { FakeHBase } from '../support/hbase/fake-hbase.js';

const loaded = vi.hoisted(() => ({ store: false, codec: false }));
vi.mock('../../packages/hbase/open-hbase-store.js', (original) => {
  loaded.store = true;
  return original();
});
vi.mock('../../packages/hbase/thrift/messages.js', (original) => {
  loaded.codec = true;
  return original();
});

const folder = await mkdtemp(join(tmpdir(), 'webcrawl-place-'));
afterAll(() => rm(folder, { recursive: true }));

it('the store on HBase is only loaded for a table that is named there', async () => {
  for (const table of ['memory:', join(folder, 'table')]) {
    await using crawl = await openContext({ table });
    await jobs.inject(crawl, { seeds: ['http://a.com/'] });
  }
  expect(loaded).toEqual({ store: false, codec: false });

  const gateway = await fakeGateway(new FakeHBase().react);
  try {
    for (const suffix of ['', `?segments=${encodeURIComponent(join(folder, 'segments'))}`]) {
      const table = `hbase://${gateway.address}/crawl${suffix}`;
      expect(await createTable({ table, slots: 32 })).toMatchObject({ slots: 32 });
      await expect(createTable({ table, slots: 8 })).rejects.toMatchObject({ code: 'BAD_SETTING' });
      expect(await createTable({ table, slots: 8, ifMissing: true })).toMatchObject({ slots: 32 });
      await using crawl = await openContext({ table });
      expect(crawl.tables.workers).toBeDefined();
      await jobs.inject(crawl, { seeds: ['http://a.com/'] });
      expect(await crawl.page('http://a.com/', [])).toMatchObject({ status: 'unfetched' });
      const record = {
        kind: 'response',
        url: 'http://a.com/',
        date: 1,
        contentType: 'text/plain',
        body: Buffer.from('x'),
      } as const;
      const places = await crawl.tables.content.append([record]);
      expect(await crawl.tables.content.read(places)).toMatchObject([{ url: 'http://a.com/' }]);
      expect(places[0]!.segment.includes('com.a')).toBe(suffix === '');
    }
  } finally {
    await gateway.close();
  }
  expect(loaded).toEqual({ store: true, codec: true });
});

it.each(['level:x', 'memory:', 'x'])('createTable rejects %s, which is created by its first use', async (table) => {
  await expect(createTable({ table })).rejects.toMatchObject({ code: 'USAGE' });
});

it.each([
  'hbase:table',
  'hbase://host',
  'hbase://host/',
  'hbase:///x',
  'hbase://host:0/x',
  'hbase://host:70000/x',
  'hbase://ho st/x',
  'hbase://host/a:b:c',
  'hbase://host/n s:x',
  'hbase://host/x?other=1',
  'hbase://host/x?segments=',
])('%s is no table on HBase', async (table) => {
  await expect(openContext({ table })).rejects.toMatchObject({ code: 'BAD_SETTING' });
});
