import { cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { requireCommand, startCommand, type Ended } from '../../support/command-process.js';
import { fileDigests } from '../../support/files/file-digests.js';
import { until } from '../../support/events.js';

const PAGES = 600;
let folder: string;
let server: Server;
let url: string;
let asked: number;
/** Called with the number of each requested page; the answer waits for it. */
let onAsked: (number: number) => Promise<void>;

beforeAll(requireCommand);
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webcrawl-backup-'));
  asked = 0;
  onAsked = () => Promise.resolve();
  server = createServer(({ url: path = '' }, response) => {
    if (path === '/robots.txt') return void response.writeHead(404).end();
    const number = Number(path.slice(1));
    const links = [2 * number + 1, 2 * number + 2].filter((next) => next < PAGES);
    const text = `${links.map((next) => `<a href="/${next}">${next}</a>`).join(' ')} ${'words '.repeat(200)}`;
    void onAsked((asked += 1)).then(() => response.writeHead(200, { 'content-type': 'text/html' }).end(text));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/0`;
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

const backups = (): string => join(folder, 'backups');
const run = (...args: readonly string[]): Promise<Ended> => startCommand(folder, args).ended;
const on = (table: string, ...args: readonly string[]): Promise<Ended> => startCommand(folder, args, { table }).ended;
async function json<T>(answer: Promise<Ended>): Promise<T> {
  const { code, out, err } = await answer;
  expect([code, err]).toEqual([0, expect.anything()]);
  return JSON.parse(out) as T;
}

test('backups of a running crawl are complete, and a crawl can continue from each', async () => {
  const made: Promise<Ended>[] = [];
  let last = Promise.resolve<unknown>(undefined);
  // Three backups, one after another, each at a given number of requested pages; the crawl continues meanwhile.
  onAsked = async (number) => {
    if (![40, 200, 400].includes(number)) return;
    const one = last.then(() => run('backup', backups()));
    last = one;
    made.push(one);
    if (number === 400) await one;
  };
  const crawled = await json<{ counters: { fetched: number } }>(run('crawl', url, '--json', '-q'));
  expect(crawled.counters.fetched).toBe(PAGES);
  const directories = (await Promise.all(made)).map(({ code, out, err }) => {
    expect([code, err]).toEqual([0, expect.stringMatching(/^Backup of \d+ files? of .+\.\n$/)]);
    return out.trim();
  });
  expect(directories.length).toBe(3);
  for (const directory of directories) {
    const looked = await json<{ parts: unknown }>(on(directory, 'repair', '--files', '--json'));
    expect(looked.parts).toMatchObject([{ step: 'keep' }, { found: 'looks whole' }]);
    const restored = `${directory}-restored`;
    await cp(directory, restored, { recursive: true });
    const stats = await json<{ lostBodies: number; damaged: number }>(on(restored, 'readdb', '--stats', '--json'));
    expect(stats).toMatchObject({ lostBodies: 0, damaged: 0 });
    await json(on(restored, 'crawl', url, '--json', '-q'));
    const { total, statuses } = await json<{ total: number; statuses: object }>(
      on(restored, 'readdb', '--stats', '--json'),
    );
    expect([total, statuses]).toEqual([PAGES, { fetched: PAGES }]);
  }
}, 300_000);

test('a kill -9 during a backup leaves the earlier backup unchanged, and the next backup works', async () => {
  expect((await run('crawl', url, '-q')).code).toBe(0);
  const first = (await run('backup', backups())).out.trim();
  const before = await fileDigests(first);
  const { child, ended } = startCommand(folder, ['backup', backups()]);
  // As soon as a part of the backup exists.
  await until(async () => (await readdir(backups())).length > 1 || child.exitCode !== null);
  child.kill('SIGKILL');
  await ended;
  expect(await fileDigests(first)).toEqual(before);
  const { code, out } = await run('backup', backups());
  expect(code).toBe(0);
  expect((await readdir(backups())).filter((name) => name.endsWith('.partial'))).toEqual([]);
  expect(await json<object>(on(out.trim(), 'repair', '--files', '--json'))).toMatchObject({ done: false });
}, 120_000);

test('a table without files and a target within the table are refused', async () => {
  await mkdir(join(folder, 'table', 'content'), { recursive: true });
  await symlink(join(folder, 'table', 'content'), join(folder, 'link'));
  for (const place of ['table', 'table/b', 'table/..b', 'link', 'link/b/c']) {
    const { code, err } = await run('backup', join(folder, place));
    expect([code, err], place).toEqual([64, expect.stringContaining('is in the folder of the table')]);
  }
  await rm(join(folder, 'table'), { recursive: true });
  const none = await on('memory:', 'backup', backups());
  expect([none.code, none.err]).toEqual([64, expect.stringContaining('a table with files')]);
  const missing = await run('backup', backups());
  expect([missing.code, missing.err]).toEqual([66, expect.stringContaining('NO_TABLE')]);
});
