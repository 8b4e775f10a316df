import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openLevelStore, openSharedStore, type SharedStore, type SharedStoreOptions } from '../../../webtable/index.js';
import { getPlain, put, scanPlain } from '../../support/stores/plain-rows.js';

let directory: string;
const ends: (() => unknown)[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'webcrawl-yields-'));
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  await rm(directory, { recursive: true, force: true });
});

async function share(options: Partial<SharedStoreOptions> = {}): Promise<SharedStore> {
  const open = (): ReturnType<typeof openLevelStore> => openLevelStore(directory);
  const store = await openSharedStore({ directory, open, name: 'test', version: '1', ...options });
  ends.push(() => store.close());
  await store.serve();
  return store;
}

it('gives the table to who needs it alone, reads it there meanwhile, and takes it again', async () => {
  const reader = await share({ name: 'serve', yields: true });
  await reader.write('webpage', [put('a', { 'm:st': '1' })]);
  for (const round of [1, 2]) {
    const alone = await share({ name: 'crawl', alone: true });
    expect(alone.holder).toBeUndefined();
    await alone.write('webpage', [put('b', { 'm:st': String(round) })]);
    expect(await getPlain(reader, ['b'], ['m'])).toEqual([{ key: 'b', cells: [['m:st', String(round)]] }]);
    expect(reader.holder).toMatchObject({ name: 'crawl' });
    await alone.close();
    expect(await scanPlain(reader, 'webpage', { columns: ['m'] })).toHaveLength(2);
    expect(reader.holder).toBeUndefined();
  }
});

it('gives it also to one that read through it until now, and in the middle of a scan', async () => {
  const reader = await share({ yields: true });
  const keys = Array.from({ length: 2500 }, (_, i) => `k${String(i).padStart(5, '0')}`);
  await reader.write(
    'webpage',
    keys.map((key) => put(key, { 'm:st': '1' })),
  );
  const other = await share({ name: 'job' });
  expect(other.holder).toBeDefined();
  const seen: string[] = [];
  for await (const { key } of reader.scan('webpage', { columns: ['m'] })) {
    if (seen.push(key) === 10) {
      await other.requireAlone();
      expect(other.holder).toBeUndefined();
    }
  }
  expect(seen).toEqual(keys);
});

it('keeps it while it does something under a lock, and where it does not yield', async () => {
  const reader = await share({ yields: true });
  const locked = { code: 'TABLE_LOCKED' };
  await reader.exclusive('rows', async () => {
    await expect(share({ alone: true })).rejects.toMatchObject(locked);
  });
  await reader.close();
  await share();
  await expect(share({ alone: true })).rejects.toMatchObject(locked);
  await expect((await share()).requireAlone()).rejects.toMatchObject(locked);
});

it('opens the table again where nobody has taken it', async () => {
  const reader = await share({ yields: true });
  await reader.write('webpage', [put('a', { 'm:st': '1' })]);
  const alone = await share({ alone: true });
  await alone.close();
  expect(await scanPlain(reader, 'webpage', { columns: ['m'] })).toHaveLength(1);
  await reader.close();
  await reader.close();
});
