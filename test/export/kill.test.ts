import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { randomNumbers } from '../support/web/fake-web.js';
import { openCrawl } from '../../packages/webcrawl/index.js';
import { archivedPage } from '../support/export/archive-table.js';
import { fileDigests } from '../support/file-digests.js';
import { makeTable } from './made-table.js';

const WORKER = fileURLToPath(new URL('worker.mjs', import.meta.url));
const KILLS = 20;
/** Small ones, so that a small table has many checkpoints. */
const SIZES = { checkpoint: 40_000, hosts: 5, parquetRows: 300, parquetBytes: 1e9 };

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webcrawl-export-kill-'));
  await makeTable(join(folder, 'table'), 3000);
  await makeBodies(join(folder, 'bodies'), 300);
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** A table of pages with bodies that cannot be compressed by much, and links between them. */
async function makeBodies(table: string, count: number): Promise<void> {
  const random = randomNumbers(11);
  const url = (n: number): string => `http://h${n % 7}.example/${n}`;
  const changes = Array.from({ length: count }, (_, n) => {
    const body = Array.from({ length: 300 }, () => random().toString(36)).join(' ');
    const outlinks = [n + 1, n * 3, n * n].map((to) => ({ url: url(to % count), anchor: '' }));
    return archivedPage(url(n), `<h1>Page ${n}</h1><p>${body}</p>`, { set: { title: `Page ${n}`, outlinks } });
  });
  await using crawl = await openCrawl({ table, serve: false });
  await crawl.tables.pages.write(changes);
}

type Counters = Record<string, number>;

/**
 * Runs an export in a process of its own; undefined when it was killed, `there` where an earlier one was killed when all was in
 * its place.
 */
function exportIn(options: object, killAt: number): Promise<Counters | 'there' | undefined> {
  // The formats of pages take no bodies, and the others nothing else.
  const table = join(folder, 'export' in options ? 'bodies' : 'table');
  const args = [WORKER, table, JSON.stringify(options), JSON.stringify(SIZES), String(killAt)];
  const child = spawn(process.execPath, args);
  let out = '';
  let errors = '';
  child.stdout.on('data', (data: Buffer) => (out += data.toString()));
  child.stderr.on('data', (data: Buffer) => (errors += data.toString()));
  return new Promise((resolve, reject) => {
    child.on('close', (code, signal) => {
      if (signal === 'SIGKILL') resolve(undefined);
      else if (code === 0) resolve(JSON.parse(out) as Counters);
      else if (errors.includes('found an output there')) resolve('there');
      else reject(new Error(`the export ended with ${code}: ${errors}`));
    });
  });
}

/** The digest of every file of an export but its manifest, which has the time in it. */
async function digests(output: string): Promise<Record<string, string>> {
  const found = Object.entries(await fileDigests(dirname(output)));
  return Object.fromEntries(found.filter(([path]) => !path.endsWith('manifest.json')));
}

it.each([
  ['pages.jsonl', {}],
  ['pages.csv.gz', {}],
  ['hosts', { format: 'hosts' }],
  ['parquet', { format: 'parquet' }],
  ['pages.parquet', { limit: 1000 }],
  ['warc', { export: 'exportWarc', fileBytes: 150_000 }],
  ['crawl.wacz', { export: 'exportWacz', fileBytes: 150_000 }],
  ['krake', { export: 'exportKrake' }],
  ['chunks.jsonl.gz', { export: 'exportChunks', maxWords: 50 }],
])(`%s killed ${KILLS} times ends in the same bytes`, async (name, options) => {
  const [whole, output] = [join(folder, 'whole', name, name), join(folder, 'killed', name, name)];
  for (const path of [whole, output]) await mkdir(dirname(path), { recursive: true });
  const { steps, rows } = (await exportIn({ ...options, output: whole }, 0)) as Counters;
  const expected = await digests(whole);
  const random = randomNumbers(name.length);
  let kept = 0;
  for (let kill = 0; kill < KILLS;) {
    const done = await exportIn({ ...options, output }, 1 + Math.floor(random() * steps!));
    if (done === undefined) kill += 1;
    else {
      // It had come so far that it met its end before its time.
      kept += keptBy(done);
      expect(await digests(output)).toEqual(expected);
      await rm(output, { recursive: true });
      await rm(`${output}.manifest.json`, { force: true });
    }
  }
  const last = await exportIn({ ...options, output }, 0);
  expect(last === 'there' ? rows : last?.rows).toBe(rows);
  kept += keptBy(last);
  expect(await digests(output)).toEqual(expected);
  // A single Parquet file begins anew, and of a WACZ the files within are kept, which are no parts of it.
  if (name !== 'pages.parquet' && name !== 'crawl.wacz') expect(kept).toBeGreaterThan(0);
});

/** Rows that were kept of runs that were killed. */
function keptBy(done: Counters | 'there' | undefined): number {
  return done === undefined || done === 'there' ? 0 : (done.kept_rows ?? 0);
}
