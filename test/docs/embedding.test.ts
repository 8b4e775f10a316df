import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type * as WebcrawlModule from '../../packages/webcrawl/index.js';
import type { Crawl, CrawlStatus, OpenCrawlOptions, Report } from '../../packages/webcrawl/index.js';
import { requireCommand } from '../support/command-process.js';
import { typeFaults, writeExamples } from '../support/docs/doc-examples.js';
import { ROOT } from '../support/docs/source-files.js';
import { serveWeb, type ServedWeb } from '../support/web/serve-web.js';

interface Examples {
  crawlOnce(seed: string, options: OpenCrawlOptions): Promise<string[]>;
  crawlManual(crawl: Crawl, start: string): Promise<Report>;
  look(crawl: Crawl): Promise<string>;
  missingPages(crawl: Crawl): Promise<string[]>;
  countWords(crawl: Crawl, seed: string): Promise<Report>;
  crawlWithLog(crawl: Crawl, seed: string, write: (line: string) => void): Promise<Report>;
  testThatPagesAreFetchedAgain(): Promise<void>;
  startService(port: number, options: OpenCrawlOptions): Promise<Server & AsyncDisposable>;
  whatToDo(error: unknown): string;
}

const OPTIONS: OpenCrawlOptions = { table: 'memory:', settings: { fetcher: { serverDelay: 0 } } };

let folder: string;
let names: readonly string[];
let web: ServedWeb;
let seed: string;
/** All exports of the modules. */
let examples: Examples;
/** The package that the modules import. */
let webcrawl: typeof WebcrawlModule;

beforeAll(async () => {
  requireCommand();
  folder = await mkdtemp(join(tmpdir(), 'webcrawl-embedding-'));
  names = await writeExamples(folder, 'docs/EMBEDDING.md', ['@types/node', 'undici-types']);
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  const all: object[] = [];
  for (const name of names) {
    const { outputText } = ts.transpileModule(await readFile(join(folder, name), 'utf8'), {
      compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
    });
    const file = join(folder, name.replace(/\.ts$/, '.js'));
    await writeFile(file, outputText);
    // main.ts crawls example.com.
    if (name !== 'main.ts') all.push((await import(pathToFileURL(file).href)) as object);
  }
  examples = Object.assign({}, ...all) as Examples;
  const entry = join(ROOT, 'dist/packages/webcrawl/index.js');
  webcrawl = (await import(pathToFileURL(entry).href)) as typeof webcrawl;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

beforeEach(async () => {
  web = await serveWeb({
    '/docs/': {
      html: '<title>Docs</title>two words <a href=a>a</a><a href=print/a>p</a><a href=/b>b</a><a href=none>n</a>',
    },
    '/docs/a': { html: '<title>A</title>' },
    '/docs/print/a': { html: '<title>Print</title>' },
    '/b': { html: '<title>B</title>' },
  });
  seed = `${web.origin}/docs/`;
});
afterEach(() => web.close());

test('the page has these modules', () => {
  expect(names).toEqual([
    'crawl-once.ts',
    'main.ts',
    'scope.ts',
    'look.ts',
    'words.ts',
    'log.ts',
    'service.ts',
    'tested.ts',
    'errors.ts',
  ]);
});

test('the modules pass the type check', () => {
  expect(typeFaults(folder, names, true)).toEqual([]);
});

test('open, crawl, read, close', async () => {
  expect(await examples.crawlOnce(seed, OPTIONS)).toEqual([
    `${web.origin}/b B (0 links)`,
    `${seed} Docs (4 links)`,
    `${seed}a A (0 links)`,
    `${seed}print/a Print (0 links)`,
  ]);
});

test('scope, reading rows, and own fields', async () => {
  await using crawl = await webcrawl.openCrawl(OPTIONS);
  expect((await examples.crawlManual(crawl, seed)).counters).toMatchObject({ success: 2, not_found: 1 });
  expect(web.requests).not.toContain('/b');
  expect(web.requests).not.toContain('/docs/print/a');
  expect(await examples.look(crawl)).toBe('0 pages are due');
  expect(await examples.missingPages(crawl)).toEqual([`${seed}none`]);

  await using other = await webcrawl.openCrawl(OPTIONS);
  await examples.countWords(other, seed);
  expect(await other.page(`${seed}`, ['custom'])).toMatchObject({ custom: { words: 7 } });
});

test('a log', async () => {
  const lines: string[] = [];
  await using crawl = await webcrawl.openCrawl(OPTIONS);
  await examples.crawlWithLog(crawl, seed, (line) => lines.push(line));
  const noted = lines.map((line) => JSON.parse(line) as { url: string; http: number; from: string });
  expect(noted[0]).toMatchObject({ url: seed, http: 200, code: 'success', from: 'seed' });
  expect(noted.find(({ url }) => url === `${seed}none`)).toMatchObject({ http: 404, code: 'not_found', from: 'link' });
});

test('a service', async () => {
  await using service = await examples.startService(0, OPTIONS);
  const at = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  const site = `${at}/crawl?site=${encodeURIComponent(seed)}`;
  // An invalid URL must not begin a crawl, which would fetch other due pages.
  for (const wrong of ['notaurl', '', 'ftp://example.com/', 'http://', 'https://me@example.com/']) {
    const refused = await fetch(`${at}/crawl?site=${encodeURIComponent(wrong)}`, { method: 'POST' });
    expect([refused.status, await refused.json()]).toEqual([400, expect.objectContaining({ error: 'BAD_URL' })]);
  }
  const statusOf = async (): Promise<CrawlStatus> => (await (await fetch(`${at}/status`)).json()) as CrawlStatus;
  expect((await fetch(site, { method: 'POST' })).status).toBe(202);
  while ((await statusOf()).jobs.length > 0);
  const pages = (await (await fetch(`${at}/pages?host=127.0.0.1`)).text()).trim().split('\n');
  expect(pages.map((line) => (JSON.parse(line) as { title?: string }).title)).toEqual([
    'B',
    'Docs',
    'A',
    undefined,
    'Print',
  ]);
  expect((await fetch(`${at}/pages?host=`)).status).toBe(400);
  expect((await fetch(`${at}/pages?host=http://x/`)).status).toBe(400);
  expect((await fetch(`${at}/nowhere`)).status).toBe(404);
});

test('a test of a program', async () => {
  await examples.testThatPagesAreFetchedAgain();
});

test('errors', async () => {
  expect(examples.whatToDo(new webcrawl.CrawlError('TABLE_LOCKED', 'x'))).toBe('again');
  expect(examples.whatToDo(new Error('x'))).toBe('help');
  await using crawl = await webcrawl.openCrawl(OPTIONS);
  const error = await crawl.page('no url', []).catch((thrown: unknown) => thrown);
  expect(examples.whatToDo(error)).toBe('input');
});
