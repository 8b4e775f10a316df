import { promisify } from 'node:util';
import { createGunzip, gzip } from 'node:zlib';
import { inTimeSlices, sortSteps } from '../../packages/util/index.js';
import type { PrefixFigures, StoredPrefix } from './prefixes.js';

/** Maximum bytes of the text before compression: about a hundred thousand prefixes. Every store accepts a value of this size. */
const MAX_TEXT_BYTES = 9 * 1024 * 1024;

interface Line {
  readonly key: string;
  readonly rows: number;
  readonly text: string;
}

/**
 * Collects prefixes, in any order, and packs them as gzipped lines of JSON in order of their keys. If the text is too long for a value, the
 * prefixes with the fewest rows are left out. Their rows are still counted in the prefixes above them.
 * @param min minimum number of rows of a prefix; it is doubled until the text fits
 */
export function createPrefixPacker(min: number, mostBytes = MAX_TEXT_BYTES) {
  let lines: Line[] = [];
  let bytes = 0;
  return {
    add(prefix: StoredPrefix): void {
      if (prefix.figures.rows < min) return;
      const line = lineOf(prefix);
      lines.push(line);
      bytes += Buffer.byteLength(line.text);
      while (bytes > mostBytes) {
        min *= 2;
        lines = lines.filter(({ rows }) => rows >= min);
        bytes = lines.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
      }
    },
    /** Returns the packed value. `min` is the minimum number of rows of a packed prefix, `count` the number of packed prefixes. */
    async end(): Promise<{ readonly bytes: Uint8Array; readonly min: number; readonly count: number }> {
      const sorted = await inTimeSlices(sortSteps(lines, (a, b) => (a.key < b.key ? -1 : 1)));
      return { bytes: await promisify(gzip)(sorted.map(({ text }) => text).join('')), min, count: sorted.length };
    },
  };
}

function lineOf({ key, figures }: StoredPrefix): Line {
  const { rows, statuses, relevant, duplicates, errors, bytes, fetchMs } = figures;
  return {
    key,
    rows,
    text: `${JSON.stringify([key, rows, statuses, relevant, duplicates, errors, bytes, fetchMs])}\n`,
  };
}

type Packed = [string, number, PrefixFigures['statuses'], number, number, number, number, number];

/**
 * Yields the prefixes of a packed value in key order. Ends at the first prefix that cannot be read. Only a part of the prefixes is in
 * memory at a time.
 */
export async function* unpackPrefixes(packed: Uint8Array): AsyncGenerator<StoredPrefix> {
  const gunzip = createGunzip().setEncoding('utf8');
  gunzip.end(packed);
  let rest = '';
  try {
    for await (const text of gunzip as AsyncIterable<string>) {
      const lines = (rest + text).split('\n');
      rest = lines.pop()!;
      for (const line of lines) {
        const [key, rows, statuses, relevant, duplicates, errors, bytes, fetchMs] = JSON.parse(line) as Packed;
        yield { key, figures: { rows, statuses, relevant, duplicates, errors, bytes, fetchMs } };
      }
    }
  } catch {
    // The statistics can be rebuilt from the rows.
  }
}
