import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  exportGraph,
  exportKrake,
  exportPages,
  jobs,
  openContext,
  type OpenContext,
} from '../../packages/webcrawl/internal.js';
import { makeTable } from './made-table.js';

const folder = await mkdtemp(join(tmpdir(), 'webcrawl-full-'));
const disk = join(folder, 'disk');
await mkdir(disk);

/** Mounts a small disk, or changes the size of one; returns whether this user may. */
function mount(size: string, how = 'size'): boolean {
  return spawnSync('mount', ['-t', 'tmpfs', '-o', `${how}=${size}`, 'tmpfs', disk]).status === 0;
}

const isMounted = mount('64k');
if (!isMounted) await rm(folder, { recursive: true });

// Only root may mount a disk, and not in every container.
describe.skipIf(!isMounted)('on a full disk', { timeout: 300_000 }, () => {
  let crawl: OpenContext;
  beforeAll(async () => {
    await makeTable(join(folder, 'table'), 3000);
    crawl = await openContext({ table: join(folder, 'table'), serve: false });
  }, 300_000);
  beforeEach(() => void mount('64k', 'remount,size'));
  afterAll(async () => {
    vi.unstubAllEnvs();
    await crawl.close();
    spawnSync('umount', [disk]);
    await rm(folder, { recursive: true, force: true });
  });

  it.each([
    ['pages', (output: string) => exportPages(crawl, { output })],
    ['hosts', (output: string) => exportPages(crawl, { output, format: 'hosts' })],
    ['krake', (output: string) => exportKrake(crawl, { output })],
    ['graph', (output: string) => exportGraph(crawl, { output, level: 'page' })],
    [
      'rank',
      async () => {
        vi.stubEnv('TMPDIR', disk);
        return jobs.rank(crawl).finally(() => vi.unstubAllEnvs());
      },
    ],
  ])('%s reports it, leaves nothing, and works when there is room', async (name, run) => {
    const output = join(disk, name);
    await expect(run(output)).rejects.toMatchObject({ code: 'STORE_FULL' });
    expect(await readdir(disk)).toEqual([]);
    mount('64m', 'remount,size');
    const { counters } = await run(output);
    expect(counters.rows ?? counters.nodes ?? counters.scanned).toBeGreaterThan(0);
    expect((await readdir(disk)).filter((entry) => entry.startsWith('.'))).toEqual([]);
    for (const entry of await readdir(disk)) await rm(join(disk, entry), { recursive: true });
  });
});
