import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openContext } from '../../packages/webcrawl/internal.js';
import { serveWeb, type ServedWeb } from '../support/web/serve-web.js';

const WORKER = fileURLToPath(new URL('parse-threads-worker.mjs', import.meta.url));

interface Crawled {
  readonly counters: Readonly<Record<string, number>>;
  readonly texts: Readonly<Record<string, string>>;
  readonly hasThreads: boolean;
}

/** A parser that states in which thread it runs. */
const TELLING = `
  import { isMainThread } from 'node:worker_threads';
  const robots = { noindex: false, nofollow: false, noarchive: false };
  export default { name: 'telling', parser: { contentTypes: ['text/told'], parse() {
    return { kind: 'success', title: '', text: isMainThread ? 'main' : 'thread', outlinks: [], robots, metadata: {} };
  } } };
`;

let folder: string;
let web: ServedWeb;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webcrawl-threads-'));
  await writeFile(join(folder, 'telling.mjs'), TELLING);
  const told = { html: 'x', contentType: 'text/told' };
  web = await serveWeb({
    '/': { html: `<a href=/a-small>s</a><a href=/b-large>l</a><a href=/c>c</a>` },
    '/a-small': told,
    '/b-large': { ...told, html: 'x'.repeat(1_048_577) },
  });
});
afterAll(async () => {
  await web.close();
  await rm(folder, { recursive: true, force: true });
});

/** Runs the built package in another process, which must end by itself. */
async function crawl(settings: object, more: { plugins?: string; close?: boolean } = {}) {
  const { plugins = '', close = true } = more;
  const all = { plugins: [join(folder, 'telling.mjs')], ...settings };
  const args = [WORKER, web.origin, JSON.stringify(all), plugins, String(close)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 250_000 });
  return JSON.parse(stdout) as Crawled;
}

describe('openCrawl', () => {
  it.each([true, false])(
    'parses in threads once it is worthwhile, and ends with or without close: %s',
    async (close) => {
      const { texts, counters } = await crawl({ 'parser.threads': 1 }, { close });
      expect(texts).toMatchObject({ '/a-small': 'main', '/b-large': 'thread' });
      expect(counters).toMatchObject({ parsed: 3 });
      expect(counters).not.toHaveProperty('parse_thread_failed');
    },
  );

  it('parses in the main thread if the setting says so', async () => {
    const inMain = { texts: { '/a-small': 'main', '/b-large': 'main' }, hasThreads: false };
    expect(await crawl({ 'parser.threads': 0 })).toMatchObject(inMain);
  });

  it('parses in threads even with an onPage', async () => {
    const { texts, counters } = await crawl({ 'parser.threads': 1 }, { plugins: '[onPage]' });
    expect(texts).toMatchObject({ '/a-small': 'main', '/b-large': 'thread' });
    expect(counters).not.toHaveProperty('parsed_in_main_thread');
  });

  it('parses in the main thread, and counts, pages for which a passed filter or parser is needed', async () => {
    const filtered = await crawl({ 'parser.threads': 1 }, { plugins: '[filter]' });
    expect(filtered.texts).toMatchObject({ '/a-small': 'main', '/b-large': 'main' });
    expect(filtered.counters).toMatchObject({ parsed: 3, parsed_in_main_thread: 3, 'links_rejected_no-c': 1 });
    const { texts, counters } = await crawl({ 'parser.threads': 1 }, { plugins: '[parser]' });
    expect(texts).toMatchObject({ '/a-small': 'handed in', '/b-large': 'handed in' });
    expect(counters).toMatchObject({ parsed: 3, parsed_in_main_thread: 2 });
  });

  it('parses in the main thread if the module of the threads is missing', async () => {
    await using opened = await openContext({ table: 'memory:', settings: { 'parser.threads': 2 } });
    expect(opened.parseThreads).toBeUndefined();
  });
});
