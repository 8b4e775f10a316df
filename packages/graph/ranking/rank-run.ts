import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { link, mkdir, open, readFile, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import { createGunzip, gzip } from 'node:zlib';
import { CrawlError, safeText } from '../../errors/index.js';
import { onDisk } from '../sort/index.js';

/** What all shards of a run have in common. */
export interface RunIdentity {
  readonly table: string;
  readonly levels: readonly string[];
  readonly count: number;
}

/** The steps of a run of which each shard has a file, in their order. */
export type RunStep = 'rows' | 'ranks' | 'written';

/** The folder in which the shards of a run work together. A file gets its name when it is whole, so a kill leaves none that is half there. */
export interface RankRun {
  /** The first key of each shard but the first. */
  readonly keys: readonly string[];
  /** Whether a step is done, of one shard or of all. */
  has(step: RunStep, shard: number): Promise<boolean>;
  /** The shards that have not done a step. */
  missing(step: RunStep): Promise<readonly number[]>;
  /** Writes the lines of a step. */
  write(step: RunStep, shard: number, lines: AsyncIterable<string> | Iterable<string>): Promise<void>;
  /** The lines of a step. */
  read(step: RunStep, shard: number): AsyncGenerator<string>;
  /** Whether the run has come to its end. */
  isDone(): Promise<boolean>;
  /** Says that it has, and removes all that is not needed to know it again. */
  end(): Promise<void>;
}

const RUN = 'run.json';
const DONE = 'done.json';
/** What is being written. */
const PART = '.part';
const STEPS: readonly RunStep[] = ['rows', 'ranks', 'written'];
/** Characters compressed together. */
const PIECE = 2 ** 19;
const compress = promisify(gzip);

const fileOf = (step: RunStep, shard: number): string => `${step}-${String(shard).padStart(5, '0')}.gz`;
const isOurs = (name: string): boolean =>
  STEPS.some((step) => name.startsWith(`${step}-`)) || name.startsWith(`${RUN}.`);

/**
 * Joins a run, or begins it where the folder is empty.
 * @param split finds the keys at which the rows are split; who begins the run does it for all
 * @throws CrawlError USAGE for a folder of another run; BAD_OUTPUT, STORE_FULL
 */
export async function joinRun(
  folder: string,
  identity: RunIdentity,
  split: () => Promise<readonly string[]>,
): Promise<RankRun> {
  await onDisk(folder, () => mkdir(folder, { recursive: true }));
  const path = join(folder, RUN);
  const found = (await readJson(path)) ?? (await begin(path, { ...identity, keys: await split() }));
  const { keys, ...others } = found as RunIdentity & { readonly keys: readonly string[] };
  if (!isDeepStrictEqual(others, { ...identity })) {
    const shown = (run: Partial<RunIdentity>): string =>
      safeText(`rank of ${run.levels?.join(' and ')} in ${run.count} shards, table ${run.table}`, 200);
    throw new CrawlError('USAGE', `expected ${folder} to be of a ${shown(identity)}, found one of a ${shown(others)}`, {
      hint: 'name a new folder for each run, the same one for all of its shards',
    });
  }
  const names = async (): Promise<ReadonlySet<string>> => new Set(await onDisk(folder, () => readdir(folder)));
  return {
    keys,
    has: async (step, shard) => (await names()).has(fileOf(step, shard)),
    async missing(step) {
      const there = await names();
      return Array.from({ length: identity.count }, (_, i) => i).filter((i) => !there.has(fileOf(step, i)));
    },
    write: (step, shard, lines) => writeLines(join(folder, fileOf(step, shard)), lines),
    read: (step, shard) => readLines(join(folder, fileOf(step, shard))),
    isDone: async () => (await names()).has(DONE),
    async end() {
      await writeJson(join(folder, DONE), identity);
      for (const name of await names())
        if (isOurs(name)) await onDisk(folder, () => rm(join(folder, name), { force: true }));
    },
  };
}

/** Writes what all go by, unless somebody else was faster. @returns what is there then */
async function begin(path: string, run: object): Promise<unknown> {
  const part = `${path}.${randomUUID()}${PART}`;
  await writeJson(part, run);
  await onDisk(path, async () => {
    await link(part, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    await rm(part, { force: true });
  });
  return readJson(path);
}

async function readJson(path: string): Promise<unknown> {
  const text = await onDisk(path, () =>
    readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    }),
  );
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new CrawlError('BAD_OUTPUT', `expected JSON in ${path}, found something else`, { cause });
  }
}

const writeJson = (path: string, value: object): Promise<void> =>
  onDisk(path, async () => {
    await using file = await open(path, 'w');
    await file.writeFile(`${JSON.stringify(value)}\n`);
    await file.sync();
  });

async function writeLines(path: string, lines: AsyncIterable<string> | Iterable<string>): Promise<void> {
  const part = `${path}.${randomUUID()}${PART}`;
  try {
    await using file = await onDisk(path, () => open(part, 'wx'));
    let text = '';
    const flush = async (): Promise<void> => {
      const data = await compress(text, { level: 1 });
      text = '';
      await onDisk(path, () => file.writeFile(data));
    };
    for await (const line of lines) {
      text += `${line}\n`;
      if (text.length >= PIECE) await flush();
    }
    await flush();
    await onDisk(path, () => file.sync());
    await onDisk(path, () => rename(part, path));
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined);
    throw error;
  }
}

async function* readLines(path: string): AsyncGenerator<string> {
  const file = createReadStream(path);
  const text = createGunzip();
  file.on('error', (error) => text.destroy(error));
  file.pipe(text).setEncoding('utf8');
  try {
    let left = '';
    const pieces = text[Symbol.asyncIterator]() as AsyncIterator<string>;
    for (;;) {
      const piece = await onDisk(path, () => pieces.next());
      if (piece.done) return;
      const lines = (left + piece.value).split('\n');
      left = lines.pop()!;
      yield* lines;
    }
  } finally {
    file.destroy();
    text.destroy();
  }
}
