/** Each benchmark at a very small scale, as a user runs it: it runs to its end and reports. The figures are not checked. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { readArguments } from '../../bench/main.js';
import { ROOT } from '../support/docs/source-files.js';
import { runCommand, type Finished } from '../site/run-command.js';

/** Many processes, one after another, perhaps on a busy machine. */
vi.setConfig({ testTimeout: 600_000 });

let cache: string;

beforeAll(async () => {
  cache = await mkdtemp(join(tmpdir(), 'webcrawl-bench-test-'));
});

afterAll(async () => {
  await rm(cache, { recursive: true, force: true });
});

interface Result {
  readonly title: string;
  readonly machine: Record<string, unknown>;
  readonly rows: readonly Record<string, unknown>[];
  readonly more?: readonly { readonly rows: readonly Record<string, unknown>[] }[];
  readonly notes: readonly string[];
  readonly samples: unknown;
}

async function bench(...args: string[]): Promise<Finished> {
  const all = [join(ROOT, 'bench/run.mjs'), ...args, '--cache', cache];
  return runCommand(process.execPath, all, { cwd: cache, env: process.env, timeout: 590_000 });
}

async function result(name: string, ...args: string[]): Promise<Result> {
  const { code, stdout, stderr } = await bench(name, '--json', '--rounds', '1', ...args);
  expect(code, stderr).toBe(0);
  const site = args[args.indexOf('--site') + 1];
  const file = args.includes('--site') ? `${name}-${site}` : name;
  const parsed = JSON.parse(stdout) as Result;
  expect(JSON.parse(await readFile(join(cache, 'results', `${file}.json`), 'utf8'))).toEqual(parsed);
  expect(await readFile(join(cache, 'results', `${file}.svg`), 'utf8')).toMatch(/^<svg [^]*<\/svg>\n$/);
  expect(parsed.machine).toHaveProperty('cores');
  return parsed;
}

it('cycle runs its whole batch through every job, also with rows that generate refuses', async () => {
  const { rows } = await result('cycle', '--scale', '0.002', '--only', '50k,filtered');
  const [jobs, refused] = [rows.slice(0, 6), rows.slice(6)];
  expect(new Set(jobs.map(({ step }) => step)).size).toBe(6);
  for (const row of jobs) expect(row).toMatchObject({ did: 100 });
  // In such a small table, the first batch selects all wanted rows.
  expect(refused.map(({ step, table, did }) => [step, table, did])).toEqual([
    ['generate, the first', 'all-wanted', 100],
    ['generate, the first', 'filtered', 100],
    ['generate, the next', 'all-wanted', 0],
    ['generate, the next', 'filtered', 0],
  ]);
  for (const { rowsRead } of refused) expect(rowsRead).toMatchObject({ median: expect.any(Number) as number });
});

it('audit reads a table with links of every kind', async () => {
  const { rows } = await result('audit', '--scale', '0.005', '--only', '200k');
  expect(rows).toHaveLength(1);
  const [row] = rows as [Record<string, { readonly median: number }>];
  for (const key of ['links', 'findings', 'cpuSeconds', 'ownMb']) expect(row[key]!.median, key).toBeGreaterThan(0);
});

it('focus crawls with rules and with proposals, and compares with the all-knowing crawler', async () => {
  const { rows, samples } = await result('focus', '--scale', '0.005', '--only', 'proposals');
  expect(rows).toHaveLength(8);
  for (const name of ['proposals', 'knowing']) expect(rows.at(-1)![`${name}Total`]).toBeGreaterThan(0);
  expect(samples).toMatchObject({ proposals: { rules: expect.any(Array) as unknown[] } });
});

it.runIf(process.platform === 'linux')('crawl: all crawlers reach every page, on the given cores', async () => {
  const peers = ['colly', 'spider', 'wget2'];
  const all = availableParallelism();
  const cores = all > 1 ? [1, all] : [1];
  const args = ['--site', 'link-heavy', '--scale', '0.01', '--only', ['webcrawl', ...peers].join()];
  const { title, rows, notes } = await result('crawl', ...args, '--cores', cores.join(), '--against', ROOT);
  expect(title).toContain('200 on 4 hosts');
  for (const row of rows) expect(row).toMatchObject({ pages: { median: 200 } });
  const ours = rows.filter(({ name }) => /^(webcrawl|against) on Node [\d.]+$/.test(name as string));
  expect(ours.map((row) => row.cores)).toEqual(cores.flatMap((count) => [count, count]));
  const aNumber = { median: expect.any(Number) as number };
  for (const row of ours) expect(row).toMatchObject({ startCpu: aNumber, steadyRate: aNumber, steadyCpu: aNumber });
  const absent = notes.find((note) => note.startsWith('Not installed')) ?? '';
  for (const peer of peers)
    expect(absent.includes(peer) || rows.some(({ name }) => (name as string).startsWith(`${peer} `))).toBe(true);
});

it.runIf(process.platform === 'linux')('operations counts the calls of the store in a crawl', async () => {
  const { rows } = await result('operations', '--site', 'synthetic', '--scale', '0.005');
  const counted = Object.fromEntries(
    rows.map(({ what, webcrawl }) => [what, (webcrawl as { median: number }).median]),
  ) as Record<string, number>;
  // Each page is found, selected, fetched and updated; it is written to the frontier when it is found.
  expect(counted['row changes']).toBeGreaterThan(2);
  expect(counted['frontier: puts']).toBeGreaterThan(1);
  expect(counted['rows read']).toBeGreaterThan(1);
  expect(counted['LevelDB: batch']).toBeGreaterThan(0);
  expect(counted['LevelDB: getMany, get']).toBeGreaterThan(0);
  expect(counted['LevelDB: bytes put']).toBeGreaterThan(1000);
});

it('memory measures a crawl', async () => {
  const { rows } = await result('memory', '--scale', '0.0004');
  expect(rows).toHaveLength(5);
  const aNumber = { median: expect.any(Number) as number };
  for (const row of rows) {
    expect(row).toMatchObject({ pageRate: aNumber, rowRate: aNumber, linkRate: aNumber, diskMb: aNumber });
  }
  // All these rows come from one batch; its links are passed on before the first of these rows is made.
  expect((rows[0]!.linkRate as { median: number }).median).toBeGreaterThan(0);
  expect((rows[4]!.diskRatio as { median: number }).median).toBeGreaterThan(0.1);
  for (const row of rows) {
    expect(row).toMatchObject({ ratio: expect.any(Number) as number, pages: { median: expect.any(Number) as number } });
  }
});

it.runIf(process.platform === 'linux')('profile reports the time of every thread by part', async () => {
  const { rows } = await result('profile', '--site', 'synthetic', '--scale', '0.005');
  const names = rows.map(({ what }) => what);
  expect(names).toEqual(
    expect.arrayContaining(['CPU time: main thread', 'CPU time: parse threads', 'HTML scan', 'idle']),
  );
});

it('export writes a file, a folder and an archive', async () => {
  const { rows } = await result('export', '--scale', '0.0004', '--only', 'scan,jsonl,parquet,wacz');
  expect(rows.map(({ name }) => name)).toEqual(['scan', 'jsonl', 'parquet', 'wacz']);
  for (const row of rows) {
    expect(row).toMatchObject({ rows: { median: 2000 }, fewerRowsMb: { median: expect.any(Number) as number } });
  }
});

it('duplicates finds all pages of the same bytes', async () => {
  const { rows } = await result('duplicates', '--scale', '0.0004');
  expect(rows).toContainEqual({ edit: 'same bytes', english: 1, chinese: 1 });
});

it('markdown compares the installed manuals with their content boxes, and with their Markdown', async () => {
  const { rows, more, notes } = await result('markdown', '--scale', '0.01');
  for (const { pages, kept } of [...rows, ...more![0]!.rows]) expect(pages === 0 || (kept as number) > 0.3).toBe(true);
  for (const { pages, differing } of rows) expect(differing).toBeLessThanOrEqual(pages as number);
  expect(rows.length > 0 || notes.join().includes('bench/install.sh')).toBe(true);
});

it('main-content compares the installed extractors on the installed sets of pages', async () => {
  const { rows, notes } = await result('main-content', '--scale', '0.01', '--only', 'webcrawl,readability');
  expect(rows[0]).toMatchObject({ name: 'webcrawl', pages: expect.any(Number) as number });
  for (const { pages, f1 } of rows) expect(pages === 0 || (f1 as number) > 0.3).toBe(true);
  expect(rows.length === 2 || notes.join().includes('bench/install.sh')).toBe(true);
});

it('dates compares the installed date finders on the installed pages', async () => {
  const { rows, notes } = await result('dates', '--scale', '0.03', '--only', 'webcrawl,htmldate');
  expect(rows[0]).toMatchObject({ name: 'webcrawl', pages: expect.any(Number) as number });
  for (const { pages, right } of rows) expect(pages === 0 || (right as number) > 0.5).toBe(true);
  expect(rows.length === 2 || notes.join().includes('bench/install.sh')).toBe(true);
});

it('an unknown benchmark is refused, with a list of the known ones', async () => {
  const { code, stderr } = await bench('none');
  expect(code).toBe(64);
  expect(stderr).toContain('expected the name of one benchmark, found "none"');
  expect(stderr).toContain('start-up');
});

it.each([
  [['cycle', '--only', '50k,7k'], 'found "7k"'],
  [['cycle', '--scale', '0'], 'above 0 for --scale'],
  [['cycle', '--rounds', '1.5'], 'whole number'],
  [['crawl', '--site', 'x'], 'expected --site of docs, docs-one-host, synthetic, link-heavy, small-pages, found "x"'],
  [['relevance', '--site', 'small-pages'], 'expected --site of docs, synthetic'],
  [['crawl', '--cores', '0'], `expected --cores of ${process.platform === 'linux' ? 1 : availableParallelism()} to`],
  [['crawl', '--cores', '1,x'], 'found "1,x"'],
  [['crawl', '--against', 'nowhere'], 'expected the folder of a checkout for --against, found "nowhere"'],
])('%j is refused', async (args, message) => {
  await expect(readArguments(args)).rejects.toThrow(message);
});

it('graph makes a graph and ranks it', async () => {
  const { rows, samples } = await result('graph', '--scale', '0.0004');
  expect(rows.map(({ step }) => step)).toEqual(['the rows alone', 'nodes and edges', 'an iteration of PageRank']);
  expect(samples).toMatchObject({ nodes: 2000 });
});

it('relevance searches made-up pages with three formulas, and finds most of them', async () => {
  const { rows, samples } = await result('relevance', '--site', 'synthetic', '--scale', '0.05');
  expect(rows).toHaveLength(20);
  for (const row of rows.filter(({ kind }) => kind === 'title')) expect(row.oursMrr).toBeGreaterThan(0.5);
  expect(samples).toMatchObject({ weights: expect.any(Object) as object });
  for (const line of (samples as { readonly asked: readonly string[] }).asked)
    expect(line).toMatch(/^(chosen-by|reported) (title|anchor|sentence|piece) (en|zh|ja|ko|ru) \d+ \d+ \d+ \S/);
});

it('index makes a search index, measures it, and searches it', async () => {
  const { rows } = await result('index', '--scale', '0.001', '--only', 'sqlite');
  const [made, ...asked] = rows;
  for (const name of ['rate', 'perCpu', 'size', 'memory']) expect(made![name]).toBeGreaterThan(0);
  expect(asked.map(({ what }) => what)).toContain('phrases of commonest words');
  for (const row of asked.filter(({ what }) => what !== 'rare words'))
    expect(row).toMatchObject({ p50: expect.any(Number) as number });
  for (const kind of ['phrases', 'commonest words'])
    expect(asked.find(({ what }) => what === kind)!.matches).toBeGreaterThan(0);
});

it('serving crawls a site with and without --serve, and finds pages after updatedb', async () => {
  const { rows } = await result('serving', '--scale', '0.005', '--only', 'rate,findable');
  expect(rows.map(({ name }) => name)).toEqual([
    'crawl',
    'crawl --serve',
    'findable after updatedb',
    'the same while table and index are compared',
  ]);
  const [crawl, served, findable] = rows;
  expect(crawl!.pages).toMatchObject({ median: 100 });
  expect(served!.pages).toEqual(crawl!.pages);
  expect(findable!.count).toBeGreaterThan(0);
});

it('start-up compares short commands with Node itself', async () => {
  const { rows, notes } = await result('start-up', '--only', 'help,crawl');
  expect(rows.map(({ command }) => command).slice(0, 3)).toEqual([
    'Node itself',
    'webcrawl --help',
    'webcrawl crawl of one page, into a new table',
  ]);
  for (const row of rows) expect(row.cpu).toMatchObject({ median: expect.any(Number) as number });
  expect(notes[0]).toContain('beyond Node itself');
});
