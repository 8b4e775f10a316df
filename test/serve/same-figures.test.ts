import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ROOT } from '../support/docs/source-files.js';
import { progressLine } from '../../bin/output/progress.js';
import { statusText } from '../../bin/commands/inspect/status.js';
import {
  jobs,
  openContext,
  serve,
  status,
  type OpenContext,
  type CrawlStatus,
  type FetchOutcome,
  type OpenCrawlOptions,
  type Plugin,
  type Progress,
} from '../../packages/webcrawl/internal.js';

let directory: string;
let answer: (url: string) => FetchOutcome | Promise<FetchOutcome>;
const web: Plugin = {
  name: 'web',
  protocol: {
    schemes: ['http'],
    fetch: async ({ url }) =>
      url.endsWith('/robots.txt') ? { kind: 'gone', code: 'not_found', http: 404 } : answer(url),
  },
};
const html = (text: string): FetchOutcome => ({
  kind: 'content',
  code: 'success',
  http: 200,
  body: Buffer.from(text),
  truncated: false,
  contentType: 'text/html',
});

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'webcrawl-figures-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

function open(options: OpenCrawlOptions = {}): Promise<OpenContext> {
  const table = `level:${join(directory, 'table')}`;
  return openContext({
    table,
    settings: { 'fetcher.serverDelay': 0, 'parser.threads': 0 },
    plugins: [web],
    ...options,
  });
}

function createTurn() {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve: () => resolve() };
}

/** The value of a metric, with any labels. */
function metric(text: string, name: string): number {
  const line = text.split('\n').find((each) => each.startsWith(`${name} `) || each.startsWith(`${name}{`));
  return Number(line?.split(' ').at(-1));
}

/** A figure of the dashboard. */
function figure(page: string, name: string): string | undefined {
  return new RegExp(`data-text="${name}">([^<]*)<`).exec(page)?.[1];
}

/** Compares one job in its five displays. */
function agree(last: Progress, seen: CrawlStatus, served: CrawlStatus, page: string, metrics: string): void {
  const job = seen.jobs[0]!;
  const failed = job.errors.not_found ?? 0;
  const now = served.jobs[0]!;
  for (const shown of [last, now]) {
    expect(shown).toMatchObject({
      done: job.done,
      bytes: job.bytes,
      counters: job.counters,
      errors: job.errors,
      round: job.round,
    });
    expect(shown.fetching).toMatchObject({ inFlight: 1, threads: 1 });
  }
  expect(progressLine(last)).toContain(`${job.done} done`);
  expect(statusText(seen)).toMatch(new RegExp(`done +${job.done}\\n`));
  expect(figure(page, 'done')).toBe(String(job.done));
  expect(metric(metrics, 'webcrawl_job_rows_total{job="crawl"}')).toBe(job.done);
  expect(statusText(seen)).toMatch(new RegExp(`failed +${failed}\\n`));
  expect(figure(page, 'failed')).toBe(String(failed));
  if (failed > 0) {
    expect(progressLine(last)).toContain(`${failed} failed`);
    expect(metric(metrics, 'webcrawl_errors_total{job="crawl",reason="not_found"}')).toBe(failed);
  }
  expect(metric(metrics, 'webcrawl_received_bytes_total{job="crawl"}')).toBe(job.bytes);
  expect(metric(metrics, 'webcrawl_round')).toBe(job.round);
  expect(metric(metrics, 'webcrawl_pages_in_flight')).toBe(1);
  expect(figure(page, 'inFlight')).toBe('1 of 1');
  expect(metric(metrics, 'webcrawl_pages_due')).toBe(seen.due.count);
  expect(figure(page, 'due')).toBe(String(seen.due.count));
}

describe.each([
  ['the process that crawls', true],
  ['another process', false],
])('served by %s', (_name, isSame) => {
  it('terminal, status, dashboard and metrics show the same figures at every moment', async () => {
    const pages = 6;
    /** Each page waits for its turn, so that the crawl stands still while its figures are read. */
    const turns = Array.from({ length: pages }, () => createTurn());
    const asked: string[] = [];
    answer = async (url) => {
      if (url.endsWith('/')) return html(Array.from({ length: pages }, (_, i) => `<a href="/${i}">${i}</a>`).join(' '));
      asked.push(url);
      await turns[asked.length - 1]!.promise;
      return asked.length % 2 === 0 ? { kind: 'gone', code: 'not_found', http: 404 } : html(`page ${url}`);
    };
    await using crawl = await open({ name: 'crawl' });
    await using other = await open({ name: 'serve', yields: true });
    await using served = await serve(isSame ? crawl : other, { port: 0 });
    let last: Progress | undefined;
    const running = jobs.crawl(crawl, {
      seeds: ['http://a.example/'],
      threads: 1,
      onProgress: (progress) => (last = progress),
    });
    for (let turn = 0; turn < pages; turn += 1) {
      // One page is requested, and those before it are stored: the crawl stands still. The terminal is drawn once a second, and the server
      // reads the figures at most four times a second.
      await vi.waitFor(
        async () => {
          expect(last?.done).toBe(turn + 1);
          const seen = await status(isSame ? crawl : other);
          const ask = async (path: string): Promise<string> => (await fetch(served.url + path)).text();
          const [metrics, page, json] = await Promise.all([ask('metrics'), ask('dashboard'), ask('api/status')]);
          agree(last!, seen, JSON.parse(json) as typeof seen, page, metrics);
        },
        { timeout: 20_000, interval: 50 },
      );
      turns[turn]!.resolve();
    }
    const report = await running;
    const after = await status(isSame ? crawl : other);
    expect(after.jobs).toEqual([]);
    expect(after.totals['crawl']).toMatchObject({ done: pages + 1, errors: { not_found: pages / 2 } });
    expect(after.totals['crawl']?.counters.fetched).toBe(report.counters.fetched);
  }, 300_000);
});

it('has what a dashboard needs: memory, disk, and when the table was opened', async () => {
  answer = () => html('text '.repeat(1000));
  await using crawl = await open();
  await jobs.crawl(crawl, { seeds: ['http://a.example/'] });
  const seen = await status(crawl);
  expect(seen.disk!.table).toBeGreaterThan(0);
  expect(seen.disk!.content).toBeGreaterThan(0);
  expect(seen.memory.resident).toBeGreaterThan(seen.memory.heap);
  expect(seen.since).toBeLessThanOrEqual(seen.now);
  expect(seen.totals['crawl']?.bytes).toBe(5000);
  expect(seen).not.toHaveProperty('index');
});

/** That of the system, or the one that .ci/run unpacks. */
const PROMTOOL = ['/usr/bin', '/usr/local/bin', join(ROOT, '.cache/prometheus/usr/bin')]
  .map((folder) => join(folder, 'promtool'))
  .find((path) => existsSync(path));

it.skipIf(!PROMTOOL)(
  'promtool finds nothing wrong with the metrics',
  async () => {
    answer = (url) =>
      url.endsWith('/') ? html('<a href="/gone">a</a>') : { kind: 'gone', code: 'not_found', http: 404 };
    await using crawl = await open();
    await using served = await serve(crawl, { port: 0 });
    await jobs.crawl(crawl, { seeds: ['http://a.example/'] });
    await (await fetch(served.url)).text();
    const response = await vi.waitFor(
      async () => {
        const found = await fetch(`${served.url}metrics`);
        expect(await found.clone().text()).toContain('webcrawl_errors_total{job="crawl",reason="not_found"} 1\n');
        return found;
      },
      { timeout: 20_000, interval: 50 },
    );
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    const metrics = await response.text();
    expect(metrics).not.toMatch(/^webcrawl_index_documents /m);
    expect(metrics).not.toContain('a.example');
    const said = await new Promise<string>((resolve, reject) => {
      const child = execFile(PROMTOOL!, ['check', 'metrics'], (error, stdout, stderr) =>
        error ? reject(new Error(`${stdout}${stderr}`)) : resolve(`${stdout}${stderr}`),
      );
      child.stdin!.end(metrics);
    });
    expect(said).toBe('');
  },
  120_000,
);

it('serves beside jobs of other processes that need the table alone, and after these have ended', async () => {
  answer = () => html('<title>Found</title>words');
  await using reader = await open({ name: 'serve', yields: true });
  await using served = await serve(reader, { port: 0 });
  const cached = (): Promise<string> =>
    fetch(`${served.url}cached?url=${encodeURIComponent('http://a.example/')}`).then((response) => response.text());
  const search = async (): Promise<number> => (await fetch(`${served.url}search?q=words`)).status;
  expect(await cached()).toContain('There is no text of this page');
  {
    await using crawl = await open({ name: 'crawl', alone: true });
    await jobs.crawl(crawl, { seeds: ['http://a.example/'] });
    expect(await search()).toBe(503);
    await jobs.index(crawl);
    expect(await cached()).toContain('words');
    expect(await (await fetch(`${served.url}healthz`)).text()).toBe('ok\n');
  }
  expect(await cached()).toContain('words');
  expect(await search()).toBe(200);
}, 60_000);
