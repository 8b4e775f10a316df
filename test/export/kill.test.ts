import { jobContext } from '../../packages/jobs/context.js';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { randomNumbers } from '../support/web/fake-web.js';
import * as exports from '../../packages/export/index.js';
import { openContext } from '../../packages/webcrawl/internal.js';
import { archivedPage } from '../support/export/archive-table.js';
import { runs } from '../support/runs.js';
import { runWorker } from '../support/run-worker.js';
import { fileDigests } from '../support/files/file-digests.js';
import { makeTable } from './made-table.js';
import { suiteFolder } from '../support/files/temp-folder.js';

const WORKER = fileURLToPath(new URL('worker.mjs', import.meta.url));
const KILLS = runs(3, 21);
const PAGES = runs(900, 3000);
/** The error of an export that finds a complete output. */
const IS_THERE = 'already exists';

const folder = suiteFolder();
beforeAll(async () => {
  await makeTable(join(folder, 'table'), PAGES);
  await makeBodies(join(folder, 'bodies'), runs(100, 300));
});

/** A table of pages with bodies that hardly compress, and links between them. */
async function makeBodies(table: string, count: number): Promise<void> {
  const random = randomNumbers(11);
  const url = (n: number): string => `http://h${n % 7}.example/${n}`;
  const changes = Array.from({ length: count }, (_, n) => {
    const body = Array.from({ length: 300 }, () => random().toString(36)).join(' ');
    const outlinks = [n + 1, n * 3, n * n].map((to) => ({ url: url(to % count), anchor: '' }));
    return archivedPage(url(n), `<h1>Page ${n}</h1><p>${body}</p>`, { set: { title: `Page ${n}`, outlinks } });
  });
  await using crawl = await openContext({ table, serve: false });
  await crawl.tables.pages.write(changes);
}

type Counters = Record<string, number>;

interface Options {
  readonly format?: string;
  readonly limit?: number;
  readonly fileBytes?: number;
  readonly maxWords?: number;
  readonly export?: 'exportWarc' | 'exportWacz' | 'exportKrake' | 'exportChunks';
  readonly output: string;
}

// The formats of pages use no bodies, and the others use only bodies.
const tableOf = (options: Options): string => join(folder, 'export' in options ? 'bodies' : 'table');

/** Runs an export in this process. `there` if an earlier one was killed when its output was complete. */
async function exportHere(options: Options): Promise<Counters | 'there'> {
  const { export: name = 'exportPages', ...given } = options;
  await using crawl = await openContext({ table: `level:${tableOf(options)}` });
  try {
    return (await exports[name](jobContext(crawl), given as never)).counters;
  } catch (error) {
    if (error instanceof Error && error.message.includes(IS_THERE)) return 'there';
    throw error;
  }
}

/** Runs an export in another process; undefined if it was killed. */
async function exportIn(options: Options, killAt: number): Promise<Counters | 'there' | undefined> {
  const args = [tableOf(options), JSON.stringify(options), killAt];
  const { isKilled, code, out, errors } = await runWorker(WORKER, ...args);
  if (isKilled) return undefined;
  if (code === 0) return JSON.parse(out) as Counters;
  if (errors.includes(IS_THERE)) return 'there';
  throw new Error(`the export ended with ${code}: ${errors}`);
}

/** The digest of every file in the folder of an export except its manifest, which contains the time. */
async function digests(output: string): Promise<Record<string, string>> {
  const found = Object.entries(await fileDigests(dirname(output)));
  return Object.fromEntries(found.filter(([path]) => !path.endsWith('manifest.json')));
}

it.each<readonly [name: string, options: Omit<Options, 'output'>]>([
  ['pages.jsonl', {}],
  ['pages.csv.gz', {}],
  ['hosts', { format: 'hosts' }],
  ['parquet', { format: 'parquet' }],
  ['pages.parquet', { limit: PAGES / 3 }],
  ['pages.xlsx', { limit: PAGES / 3 }],
  ['warc', { export: 'exportWarc', fileBytes: runs(50_000, 150_000) }],
  ['crawl.wacz', { export: 'exportWacz', fileBytes: runs(50_000, 150_000) }],
  ['krake', { export: 'exportKrake' }],
  ['chunks.jsonl.gz', { export: 'exportChunks', maxWords: 50 }],
])(`%s killed ${KILLS} times ends in the same bytes, and leaves nothing beside them`, async (name, options) => {
  const [whole, output] = [join(folder, 'whole', name, name), join(folder, 'killed', name, name)];
  for (const path of [whole, output]) await mkdir(dirname(path), { recursive: true });
  const { steps, rows } = (await exportIn({ ...options, output: whole }, 0)) as Counters;
  const expected = await digests(whole);
  const random = randomNumbers(name.length);
  for (let kill = 0; kill < KILLS; kill += 3) {
    // One run is killed once, in the last third of its steps; another in the middle, and again soon after its restart.
    for (const thirds of [[2], [1, 0]]) {
      for (const third of thirds) {
        await exportIn({ ...options, output }, 1 + Math.floor(((third + random()) / 3) * steps!));
      }
      const last = await exportHere({ ...options, output });
      if (last !== 'there') expect(last['rows']).toBe(rows);
      expect(await digests(output)).toEqual(expected);
      await rm(output, { recursive: true });
      await rm(`${output}.manifest.json`, { force: true });
    }
  }
});
