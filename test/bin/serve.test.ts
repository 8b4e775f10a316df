import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { connect } from 'node:net';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { requireCommand, startCommand, type Started } from '../support/command-process.js';
import { until } from '../support/events.js';
import { serveWeb, type ServedWeb } from '../support/web/serve-web.js';
import { freshFolder } from '../support/files/temp-folder.js';

const LONG = 300_000;
/** A page is held back while other commands run; on a busy machine that takes long. */
const PATIENT = ['--set', 'http.timeout=600000', '--set', 'http.timeLimitMs=600000'];

const folder = freshFolder();
let web: ServedWeb;
/** Resolves when the page that is held back is requested. */
let asked: Promise<void>;
let release: () => void;
const children: ChildProcessWithoutNullStreams[] = [];

beforeAll(requireCommand);
beforeEach(async () => {
  let onAsked = (): void => {};
  asked = new Promise((resolve) => (onAsked = resolve));
  const held = new Promise<void>((resolve) => (release = resolve));
  web = await serveWeb(async (path) => {
    if (path === '/') return { html: '<title>Home</title><p>Steep the oolong. <a href="/held">more</a>' };
    if (path !== '/held') return undefined;
    onAsked();
    await held;
    return { html: '<title>Held</title><p>A zebra is running.' };
  });
});
afterEach(async () => {
  release();
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await web.close();
});

function start(...args: readonly string[]): Started {
  const started = startCommand(folder, [...args, ...PATIENT]);
  children.push(started.child);
  return started;
}

/** Starts a command that serves. @returns the process and its URL, when it answers */
function startServing(...args: readonly string[]): Promise<Started & { url: string }> {
  const started = start(...args, '--port', '0');
  let err = '';
  return new Promise((resolve, reject) => {
    started.child.stderr.on('data', (chunk: Buffer) => {
      err += chunk.toString();
      const url = /^Search page: (\S+)$/m.exec(err)?.[1];
      if (url !== undefined) resolve({ ...started, url: url.replace('localhost', '127.0.0.1') });
    });
    started.child.on('close', () => reject(new Error(`it ended: ${err}`)));
  });
}

async function json<T>(url: string): Promise<T> {
  return (await (await fetch(url)).json()) as T;
}

const totalOf = async (url: string, query: string): Promise<number> =>
  (await json<{ total?: number }>(`${url}api/search?q=${query}`)).total ?? 0;

test(
  'serve works during the crawl of another process, yields the table to others, and shows their results',
  async () => {
    const first = start('crawl', `${web.origin}/`);
    await asked;
    const { child, ended, url } = await startServing('serve');
    expect(await (await fetch(`${url}healthz`)).text()).toContain('ok');
    const during = await json<{ jobs: { job: string }[]; owner?: { pid: number } }>(`${url}api/status`);
    expect(during).toMatchObject({ jobs: [{ job: 'crawl' }], owner: { pid: first.child.pid } });
    expect((await fetch(`${url}cached?url=${encodeURIComponent(`${web.origin}/nosuch`)}`)).status).toBe(404);
    release();
    expect((await first.ended).code).toBe(0);

    // Now the process that serves has the table open, and yields it.
    await until(async () => (await json<{ jobs: unknown[] }>(`${url}api/status`)).jobs.length === 0);
    const indexed = await start('index').ended;
    expect([indexed.code, indexed.err]).toEqual([0, expect.stringContaining('added')]);
    expect(await totalOf(url, 'zebra')).toBe(1);
    const cached = await fetch(`${url}cached?url=${encodeURIComponent(`${web.origin}/held`)}`);
    expect(await cached.text()).toContain('A zebra is running.');

    // Clients that never read do not keep others out; a hundred at once all get an answer.
    const query = `GET /search?q=zebra HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    const silent = Array.from({ length: 20 }, () => connect(Number(new URL(url).port), '127.0.0.1'));
    for (const socket of silent) {
      socket.on('error', () => undefined);
      socket.pause();
      socket.write(query.repeat(2000));
    }
    const many = Array.from({ length: 80 }, () => fetch(`${url}api/search?q=zebra`));
    expect(new Set((await Promise.all(many)).map(({ status }) => status))).toEqual(new Set([200]));
    for (const socket of silent) socket.destroy();

    child.kill('SIGINT');
    expect((await ended).code).toBe(0);
  },
  LONG,
);

test(
  'crawl --serve finds pages while it crawls, ends by SIGINT with 130, and its table can be used again',
  async () => {
    const { child, ended, url } = await startServing('crawl', `${web.origin}/`, '--serve');
    await asked;
    await until(async () => (await totalOf(url, 'oolong')) === 1);
    expect(await totalOf(url, 'zebra')).toBe(0);
    release();
    await until(async () => (await totalOf(url, 'zebra')) === 1);
    child.kill('SIGINT');
    const { code, err } = await ended;
    expect([code, err]).toEqual([130, expect.stringContaining('Stopped on request')]);
    const again = await start('crawl', `${web.origin}/`).ended;
    expect([again.code, again.err]).toEqual([0, expect.stringContaining('No page is due')]);
    expect(web.requests).toEqual(['/', '/held']);
  },
  LONG,
);
