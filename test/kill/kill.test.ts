import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jobs, openContext, openLevelStore, type Report } from '../../packages/webcrawl/internal.js';
import { runs } from '../support/runs.js';
import { FailingStore } from '../support/stores/failing-store.js';
import { randomNumbers, randomWeb, type FakePage } from '../support/web/fake-web.js';
import { serveWeb, type ServedWeb } from '../support/web/serve-web.js';
import { allRows } from '../support/test-crawl.js';

const WORKER = fileURLToPath(new URL('worker.mjs', import.meta.url));

const PAGES = runs(40, 140);
const SETTINGS = { 'fetcher.serverDelay': 0, 'db.updateMaxLinksInMemory': 1000, 'parser.threads': 0 };
/** The number of rows in a batch. */
const BATCH = runs(12, 25);
/** Maximum number of kills of a step, and the chance of each. */
const TRIES = runs(1, 5);
const CHANCE = 0.8;
/** The number of kills of a crawl. Each is within the first 1/SHARE of the writes of a whole crawl. */
const OVERLAPPING_KILLS = runs(6, 30);
const SHARE = runs(5, 8);

interface Ended {
  readonly killed: boolean;
  readonly report?: Report & { readonly writes: number };
}

/** Runs a job in its own process. */
function work(directory: string, job: string, options: object, killAt: number, threads: number): Promise<Ended> {
  const args = [WORKER, directory, job, JSON.stringify(options), String(killAt), String(threads)];
  const child = spawn(process.execPath, args);
  let out = '';
  let errors = '';
  child.stdout.on('data', (data: Buffer) => (out += data.toString()));
  child.stderr.on('data', (data: Buffer) => (errors += data.toString()));
  return new Promise((resolve, reject) => {
    child.on('close', (code, signal) => {
      if (signal === 'SIGKILL') resolve({ killed: true });
      else if (code === 0) resolve({ killed: false, report: JSON.parse(out) as Report & { writes: number } });
      else reject(new Error(`${job} ended with ${code}: ${errors}`));
    });
  });
}

/** Makes the pages of a batch large enough in total that parse threads are started. */
const PADDING = `<!--${' '.repeat(100_000)}-->`;

/** A random web as the paths of one site. */
function site(seed: number, size: number): Record<string, FakePage> {
  const { pages } = randomWeb(seed, size, 1);
  const path = (url: string): string => url.replace('http://h0.example.com', '');
  return Object.fromEntries(
    Object.entries(pages).map(([url, page]) => [
      path(url),
      {
        ...page,
        ...(page.location !== undefined && { location: path(page.location) }),
        ...(page.html !== undefined && { html: page.html.replaceAll('http://h0.example.com', '') + PADDING }),
      },
    ]),
  );
}

/** The rows after a crawl, without what differs between two crawls: times, batch ids and the port of the server. */
async function rowsOf(directory: string, origin: string): Promise<{ rows: unknown; repaired: Report['counters'] }> {
  await using crawl = await openContext({ table: `level:${directory}` });
  const repaired = (await jobs.repair(crawl)).counters;
  const times = {
    dueAt: 0,
    fetchedAt: 0,
    modifiedAt: 0,
    firstSeenAt: 0,
    changedAt: 0,
    bytesChangedAt: 0,
    duplicateAt: 0,
  };
  const rows = (await allRows(crawl)).map((row) => ({ ...row, ...times, headers: undefined }));
  // Times in the change log, and its hashes of URLs, which contain the port.
  const other = ['seenAt', 'bodyAt', 'since', 'missingSince', 'links', 'externalLinks', 'canonical', 'target'];
  const text = JSON.stringify(rows, (key, value: unknown) => {
    if (typeof value !== 'number') return value;
    if (other.includes(key)) return 0;
    return ['score', 'cash', 'cashInFlight'].includes(key) ? Number(value.toFixed(9)) : value;
  });
  const port = new URL(origin).port;
  return {
    rows: JSON.parse(
      text
        .replaceAll(PADDING, '')
        .replace(/\b\d{10}-\d+\b/g, 'batch')
        .replaceAll(`:${port}/`, ':port/'),
    ),
    repaired,
  };
}

/** The URLs of the pages that are fetched and stored so far. */
async function fetchedUrls(directory: string): Promise<Set<string>> {
  await using crawl = await openContext({ table: `level:${directory}` });
  const urls = new Set<string>();
  for (const { url, fetchedAt } of await allRows(crawl)) if (fetchedAt !== undefined) urls.add(String(url));
  return urls;
}

type RunJob = (job: 'inject' | 'generate' | 'fetch' | 'parse' | 'updatedb', options: object) => Promise<Report>;

/** Crawls round by round until nothing is due. */
async function crawlInSteps(origin: string, run: RunJob): Promise<void> {
  await run('inject', { seeds: [`${origin}/`, `${origin}/p1`] });
  for (;;) {
    const { batchId } = await run('generate', { topN: BATCH });
    if (batchId === undefined) return;
    await run('fetch', { batch: batchId, threads: 4 });
    await run('parse', { batch: batchId });
    await run('updatedb', { batch: batchId });
  }
}

/** Crawls in this process, and returns the number of row writes of each step, in order. */
async function crawlUndisturbed(directory: string, origin: string): Promise<number[]> {
  const store = await openLevelStore(directory);
  const counting = Object.assign(new FailingStore(store), { content: store.content });
  await using crawl = await openContext({ table: counting, settings: SETTINGS });
  const writes: number[] = [];
  await crawlInSteps(origin, async (job, options) => {
    const before = counting.writes;
    const report = await jobs[job](crawl, options as never);
    writes.push(counting.writes - before);
    return report;
  });
  return writes;
}

/**
 * Runs each job in its own process, which is killed at the row write that `killAt` returns (0: not at all). Then this process
 * runs the job to its end.
 */
async function crawlKilled(
  directory: string,
  origin: string,
  killAt: (step: number, job: string) => number,
): Promise<Record<string, number>> {
  const kills: Record<string, number> = {};
  let step = 0;
  await crawlInSteps(origin, async (job, options) => {
    const at = Array.from({ length: TRIES }, () => killAt(step, job)).filter((write) => write > 0);
    step += 1;
    for (const write of at) {
      const { report } = await work(directory, job, options, write, 2);
      if (report) return report;
      kills[job] = (kills[job] ?? 0) + 1;
    }
    await using crawl = await openContext({ table: `level:${directory}`, settings: SETTINGS });
    return await jobs[job](crawl, options as never);
  });
  return kills;
}

describe('jobs that are killed with SIGKILL during their row writes and run again', () => {
  let web: ServedWeb;
  let directory: string;
  beforeAll(async () => {
    web = await serveWeb(site(11, PAGES));
    directory = await mkdtemp(join(tmpdir(), 'webcrawl-kill-'));
  });
  afterAll(async () => {
    await web.close();
    await rm(directory, { recursive: true, force: true });
  });

  it('leave the same rows as an undisturbed crawl in one thread, and complete indexes', async () => {
    const undisturbed = join(directory, 'undisturbed');
    const writes = await crawlUndisturbed(undisturbed, web.origin);
    const expected = await rowsOf(undisturbed, web.origin);
    expect(expected.repaired).toEqual({ rows: (expected.rows as unknown[]).length });

    const random = randomNumbers(7);
    const disturbed = join(directory, 'disturbed');
    const kills = await crawlKilled(disturbed, web.origin, (step, job) => {
      // With its last write generate has opened the batch; it would make another one.
      const last = (writes[step] ?? 1) - (job === 'generate' ? 1 : 0);
      return random() < CHANCE ? 1 + Math.floor(random() * last) : 0;
    });
    const found = await rowsOf(disturbed, web.origin);
    expect(found.rows).toEqual(expected.rows);
    expect(found.repaired).not.toHaveProperty('missing_frontier');
    expect(found.repaired).not.toHaveProperty('missing_batch');
    expect(found.repaired).not.toHaveProperty('missing_header');
    expect(found.repaired).not.toHaveProperty('damaged');
    expect(Object.keys(kills).sort()).toEqual(['fetch', 'generate', 'inject', 'parse', 'updatedb']);
    expect(Object.values(kills).reduce((total, count) => total + count, 0)).toBeGreaterThanOrEqual(runs(12, 50));
  }, 3_600_000);

  it('leave the same pages and links if rounds overlap, and fetch no stored page again', async () => {
    const options = { seeds: [`${web.origin}/`, `${web.origin}/p1`], threads: 4, topN: runs(8, 20) };
    const crawl = async (name: string, killAt: (run: number) => number, parseThreads: number) => {
      const table = join(directory, name);
      let stored: ReadonlySet<string> = new Set();
      for (let run = 0; ; run++) {
        const before = web.requests.length;
        const { report } = await work(table, 'crawl', options, killAt(run), parseThreads);
        const again = web.requests.slice(before).filter((path) => stored.has(web.origin + path));
        expect(again, `run ${run}`).toEqual([]);
        stored = await fetchedUrls(table);
        if (report) return { runs: run, writes: report.writes, ...(await rowsOf(table, web.origin)) };
      }
    };
    const undisturbed = await crawl('overlapping', () => 0, 0);
    const random = randomNumbers(3);
    const disturbed = await crawl(
      'overlapping-killed',
      (run) => (run < OVERLAPPING_KILLS ? 1 + Math.floor(random() * Math.min(400, undisturbed.writes / SHARE)) : 0),
      2,
    );
    expect(disturbed.runs).toBeGreaterThanOrEqual(runs(5, 11));
    expect(withoutScores(disturbed.rows)).toEqual(withoutScores(undisturbed.rows));
    for (const reason of ['missing_frontier', 'missing_batch', 'missing_header', 'damaged'])
      expect(disturbed.repaired).not.toHaveProperty(reason);
  }, 3_600_000);
});

/** Scores, distances, and the page that found a page first depend on the order of the rounds. */
function withoutScores(rows: unknown): unknown {
  return JSON.parse(
    JSON.stringify(rows, (key, value: unknown) =>
      ['score', 'cash', 'cashInFlight', 'distance', 'distanceInFlight', 'redirectDepth', 'retries'].includes(key)
        ? undefined
        : value,
    ),
  );
}
