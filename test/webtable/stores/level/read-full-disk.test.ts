import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { jobs, openContext, status } from '../../../../packages/webcrawl/internal.js';

const folder = await mkdtemp(join(tmpdir(), 'webcrawl-full-'));
const [disk, elsewhere] = [join(folder, 'disk'), join(folder, 'elsewhere')];
for (const path of [disk, elsewhere]) await mkdir(path);
const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', disk]).status === 0;
afterAll(async () => {
  vi.unstubAllEnvs();
  if (isMounted) spawnSync('umount', [disk]);
  await rm(folder, { recursive: true, force: true });
});

// Only root may mount a disk, and not in every container.
it.skipIf(!isMounted)('a table on a full disk can be read, and each write throws STORE_FULL', async () => {
  const table = join(disk, 'table');
  const seeds = Array.from({ length: 50 }, (_, i) => `http://example.com/${i}`);
  const crawl = await openContext({ table, serve: false });
  await jobs.inject(crawl, { seeds });
  await crawl.close();
  const full = { code: 'STORE_FULL' };
  await expect(writeFile(join(disk, 'filler'), Buffer.alloc(9_000_000))).rejects.toMatchObject({ code: 'ENOSPC' });
  await expect(openContext({ table })).rejects.toMatchObject(full);
  await expect(openContext({ table, create: false, alone: true })).rejects.toMatchObject(full);
  const before = await readdir(join(table, 'hot'));

  vi.stubEnv('TMPDIR', elsewhere);
  const reader = await openContext({ table, create: false });
  const urls: string[] = [];
  for await (const { url } of reader.pages({ fields: [] })) urls.push(url);
  expect(urls.toSorted()).toEqual(seeds.toSorted());
  expect((await status(reader)).due.count).toBe(50);
  await expect(jobs.inject(reader, { seeds: ['http://example.org/'] })).rejects.toMatchObject(full);
  await reader.close();
  expect(await readdir(elsewhere)).toEqual([]);
  expect(await readdir(join(table, 'hot'))).toEqual(before);

  vi.stubEnv('TMPDIR', disk);
  const inMemory = await openContext({ table, create: false });
  expect(await inMemory.page(seeds[0]!, ['dueAt'])).toMatchObject({ status: 'unfetched' });
  await inMemory.close();
});
