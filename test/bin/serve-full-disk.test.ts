import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { requireCommand, said, startCommand } from '../support/command-process.js';
import { until } from '../support/events.js';

import { links, randomNumbers } from '../support/web/fake-web.js';
import { serveWeb } from '../support/web/serve-web.js';

const PAGES = 60;
const LONG = 600_000;
const folder = await mkdtemp(join(tmpdir(), 'webcrawl-full-'));
const disk = join(folder, 'disk');
await mkdir(disk);

/** Mounts a small disk, or changes its size; returns whether this user may. */
function mount(size: string, how = 'size'): boolean {
  return spawnSync('mount', ['-t', 'tmpfs', '-o', `${how}=${size}`, 'tmpfs', disk]).status === 0;
}

const isMounted = mount('300k');
afterAll(async () => {
  if (isMounted) spawnSync('umount', [disk]);
  await rm(folder, { recursive: true, force: true });
});

interface Status {
  readonly failing?: readonly { readonly job: string; readonly code: string }[];
  readonly totals: Readonly<Record<string, { readonly counters: Readonly<Record<string, number>> }>>;
  readonly index?: { readonly documents: number };
}

// Only root may mount a disk; in some containers no user may.
it.skipIf(!isMounted)(
  'crawl --serve goes on while the disk of its index is full, reports it, and catches up when there is space',
  async () => {
    requireCommand();
    const random = randomNumbers(1);
    const word = (): string => random().toString(36).slice(2, 10);
    const paths = Array.from({ length: PAGES }, (_, i) => `/${i}`);
    const web = await serveWeb((path) => {
      if (path === '/') return { html: links(...paths) };
      if (!paths.includes(path)) return undefined;
      return { html: `<title>Page ${path}</title><p>${Array.from({ length: 2000 }, word).join(' ')}` };
    });
    const options = ['--serve', '--port', '0', '--set', `index.path=${disk}`];
    const { child, ended } = startCommand(folder, ['crawl', `${web.origin}/`, ...options]);
    let told = '';
    child.stderr.on('data', (chunk: Buffer) => (told += chunk.toString()));
    try {
      await said(child, 'Ctrl-C ends it.');
      const url = /Search page: (\S+)/.exec(told)![1]!;
      const ask = async (path: string): Promise<string> => (await fetch(url + path)).text();
      const status = async (): Promise<Status> => JSON.parse(await ask('api/status')) as Status;
      await until(async () => (await status()).failing !== undefined);
      await until(async () => (await status()).totals['crawl']?.counters['fetched'] === PAGES + 1);
      expect(child.exitCode).toBe(null);
      const { failing } = await status();
      expect(failing).toMatchObject([{ job: 'index', code: 'STORE_FULL' }]);
      expect(await ask('dashboard')).toContain('index fails (STORE_FULL), and is tried again');
      expect(await ask('metrics')).toMatch(/^webcrawl_job_failing\{job="index"\} [1-9]/m);
      expect(await ask('healthz')).toBe('ok\n');
      expect(told).toContain('index failed; the crawl continues, and index is retried.');

      expect(mount('64m', 'remount,size')).toBe(true);
      await until(async () => (await status()).index?.documents === PAGES + 1);
      await until(async () => (await status()).failing === undefined);
      expect(JSON.parse(await ask('api/search?q=page'))).toMatchObject({ total: PAGES });
    } finally {
      child.kill('SIGINT');
      await ended;
      await web.close();
    }
    expect((await ended).code).toBe(130);
  },
  LONG,
);
