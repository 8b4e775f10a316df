import { createDiskFile, readChunks } from './disk-file.js';
import { growingArray } from './growing-array.js';

/** A file of row keys. The number of a key is the number of keys before it. A key takes a quarter of a byte of memory. */
export type KeyFile = Awaited<ReturnType<typeof createKeyFile>>;

/** Keys are often read in their order. */
const KEYS_PER_READ = 32;

/** @throws CrawlError STORE_FULL, BAD_OUTPUT; the methods of the file throw them too */
export async function createKeyFile(path: string) {
  const file = await createDiskFile(path);
  const starts = growingArray(Float64Array);
  let length = 0;
  let last = { block: -1, keys: [] as readonly string[] };
  return {
    path,
    get length(): number {
      return length;
    },
    /** Adds a key. If this returns a promise, await the promise before the next call. */
    add(key: string): Promise<void> | undefined {
      if (length % KEYS_PER_READ === 0) starts.push(file.size);
      length += 1;
      // A line is one key, because keys are printable ASCII.
      return file.append(`${key}\n`);
    },
    /** Returns the key with a number. Several calls may run at the same time. */
    async get(number: number): Promise<string> {
      const block = Math.floor(number / KEYS_PER_READ);
      const place = number % KEYS_PER_READ;
      let found = last;
      if (found.block !== block || place >= found.keys.length) {
        const [start = 0, end = file.size] = starts.values().subarray(block, block + 2);
        const lines = await file.read(start, end - start);
        last = found = { block, keys: lines.toString('latin1', 0, lines.length - 1).split('\n') };
      }
      return found.keys[place]!;
    },
    /** Writes the last keys, so that {@link readKeys} and {@link KeyJoin} can read all of them. */
    flush: file.flush,
    [Symbol.asyncDispose]: (): Promise<void> => file[Symbol.asyncDispose](),
  };
}

/** Yields the keys of a file in their order, in groups. @throws CrawlError BAD_OUTPUT */
export async function* readKeys(path: string): AsyncGenerator<readonly string[]> {
  let rest = '';
  for await (const chunk of readChunks(path)) {
    const keys = (rest + chunk.toString('latin1')).split('\n');
    rest = keys.pop()!;
    if (keys.length > 0) yield keys;
  }
}
