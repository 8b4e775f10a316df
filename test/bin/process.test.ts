import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ERROR_CODES } from '../../packages/errors/index.js';
import { until } from '../support/events.js';
import { requireCommand, said, startCommand, type Started } from '../support/command-process.js';

let folder: string;
let server: Server;
let url: string;
let answer: (path: string, response: ServerResponse) => void;
/** Resolves when a page (not robots.txt) is requested. */
let asked: Promise<void>;

beforeAll(requireCommand);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webcrawl-process-'));
  let onAsked = () => {};
  asked = new Promise((resolve) => (onAsked = resolve));
  server = createServer(({ url: path = '' }, response) => {
    if (path === '/robots.txt') return void response.writeHead(404).end();
    onAsked();
    answer(path, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});

afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

const start = (...args: readonly string[]): Started => startCommand(folder, args);
const run = (...args: readonly string[]) => start(...args).ended;

/** The open files of a process, on Linux. */
function openFiles(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).flatMap((name) => {
    try {
      return [readlinkSync(join(folder, name))];
    } catch {
      return [];
    }
  });
}

describe('a signal', () => {
  test('once: requests in flight are finished, and the same command continues', async () => {
    const links = Array.from({ length: 10 }, (_, i) => `<a href="/${i}">x</a>`).join('');
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    answer = (_path, response) => {
      void held.then(() => response.writeHead(200, { 'content-type': 'text/html' }).end(links));
    };
    const { child, ended } = start('crawl', url, '--json');
    await asked;
    const stopping = said(child, 'Stopping');
    child.kill('SIGINT');
    // npm passes the signal of the same key press on once more.
    child.kill('SIGTERM');
    await stopping;
    release();
    const { code, out, err } = await ended;
    expect(err).toContain('The same command continues from here.');
    expect(code).toBe(130);
    expect(JSON.parse(out)).toMatchObject({ job: 'crawl', interrupted: true });

    const again = await run('crawl', url, '--json');
    expect(again.code).toBe(0);
    const { out: stats } = await run('readdb', '--stats', '--json');
    expect(JSON.parse(stats)).toMatchObject({ total: 11, statuses: { fetched: 11 } });
  });

  test.skipIf(process.platform !== 'linux')('once, while no process writes to a named pipe', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    for (const verb of [
      ['check', 'parse', pipe, '--base', url],
      ['inject', pipe],
    ]) {
      const { child, ended } = start(...verb);
      await until(() => openFiles(child.pid!).includes(pipe));
      child.kill('SIGTERM');
      expect(await ended).toMatchObject({ code: 130 });
    }
  });

  test.skipIf(process.platform === 'win32')('none: a named pipe is read like a file', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    const { ended } = start('check', 'parse', join(folder, 'pipe'), '--base', url, '--json');
    await writeFile(join(folder, 'pipe'), '<title>through a pipe</title>');
    expect(JSON.parse((await ended).out)).toMatchObject({ title: 'through a pipe' });
  });

  test('once: a request that takes too long is aborted, and its page stays unchanged', async () => {
    answer = () => {};
    const { child, ended } = start('crawl', url, '--json');
    await asked;
    child.kill('SIGINT');
    const { code, out } = await ended;
    expect(code).toBe(130);
    expect(JSON.parse(out)).toMatchObject({ interrupted: true, counters: { given_up: 1 } });
    const { out: stats } = await run('readdb', '--stats', '--json');
    expect(JSON.parse(stats)).toMatchObject({ total: 1, statuses: { unfetched: 1 } });

    answer = (_path, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('x');
    const again = await run('crawl', url, '--json');
    expect(JSON.parse(again.out)).toMatchObject({ counters: { fetched: 1, success: 1 } });
  });

  test('twice: it stops at once', async () => {
    answer = () => {};
    const { child, ended } = start('crawl', url, '--json');
    await asked;
    const stopping = said(child, 'Stopping');
    child.kill('SIGINT');
    await stopping;
    // Repeated until a signal no longer counts as the same key press.
    const timer = setInterval(() => child.kill('SIGINT'), 100);
    const { code, out } = await ended;
    clearInterval(timer);
    expect([code, out]).toEqual([130, '']);
  });
});

test('a reader that closes the pipe is no error', async () => {
  const seeds = join(folder, 'seeds.txt');
  await writeFile(seeds, Array.from({ length: 5000 }, (_, i) => `http://example.com/page-${i}`).join('\n'));
  expect((await run('inject', seeds, '-q')).code).toBe(0);
  const { child, ended } = start('readdb', '--dump');
  await new Promise((resolve) => child.stdout.once('data', resolve));
  child.stdout.destroy();
  const { code, err } = await ended;
  expect([code, err]).toEqual([0, '']);
});

test.skipIf(!existsSync('/dev/full'))('a full standard output is an error with its code', async () => {
  await run('inject', url, '-q');
  const full = await open('/dev/full', 'w');
  const { code, err } = await startCommand(folder, ['readdb', '--stats'], { stdout: full.fd }).ended;
  await full.close();
  expect(code).toBe(ERROR_CODES.STORE_FULL.exitCode);
  expect(err).toContain('error [STORE_FULL]: cannot write to standard output');
});

test('seeds come from standard input, single steps work, and nothing due exits with 1', async () => {
  answer = (path, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(path === '/' ? '<a href="/a">A</a>' : '<p>end');
  };
  const { child, ended } = start('inject', '-', '--json');
  child.stdin.end(`# seeds\n${url}\tscore=2\nno url\n`);
  const injected = await ended;
  expect(JSON.parse(injected.out)).toMatchObject({ job: 'inject', counters: { injected: 1 } });
  expect(injected.err).toContain('seed rejected, standard input:3: no url (');

  for (const round of [1, 2]) {
    const { out: batch, code } = await run('generate', '-q');
    expect([round, code]).toEqual([round, 0]);
    expect(batch).toMatch(/^\d+-\w+\n$/);
    expect((await run('fetch', batch.trim())).code).toBe(0);
    expect((await run('parse', batch.trim())).code).toBe(0);
    expect((await run('updatedb', '--all')).code).toBe(0);
  }
  expect(await run('generate')).toMatchObject({ code: 1, out: '' });
  const { out } = await run('readdb', '--dump', '--fields', 'status');
  const pages = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { url: string; status: string });
  expect(pages.map((page) => [page.url, page.status])).toEqual([
    [url, 'fetched'],
    [`${url}a`, 'fetched'],
  ]);
  expect((await run('readdb', '--url', `${url}nowhere`)).code).toBe(1);
  expect((await run('fetch', 'nosuch')).code).toBe(ERROR_CODES.UNKNOWN_BATCH.exitCode);
});

test('errors have their exit status', async () => {
  expect((await run('nosuch')).code).toBe(ERROR_CODES.USAGE.exitCode);
  expect((await run('repair', '--set', 'http.timeout=soon')).code).toBe(ERROR_CODES.BAD_SETTING.exitCode);
  expect((await run('inject', 'nosuch.txt')).code).toBe(ERROR_CODES.BAD_INPUT.exitCode);
  expect((await run('--version')).code).toBe(0);
});
