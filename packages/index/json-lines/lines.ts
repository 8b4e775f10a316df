import { fstatSync, readSync } from 'node:fs';

/** A line of a file, without its end, and the byte behind that. */
export interface Line {
  readonly text: string;
  readonly at: number;
  readonly end: number;
}

/** Bytes that are read at a time, of whoever reads on; and of whoever looks for one line. */
const CHUNK = 1 << 20;
const SMALL = 1 << 13;
const NEWLINE = 0x0a;

/** The whole lines of a file from a byte on, in their order. What is behind the last line end is none. */
export function* linesOf(file: number, from = 0, chunkSize = CHUNK): Generator<Line> {
  let size = chunkSize;
  let rest: Buffer = Buffer.alloc(0);
  let at = from;
  for (;;) {
    const chunk = Buffer.allocUnsafe(size);
    const length = readSync(file, chunk, 0, size, at + rest.length);
    if (length === 0) return;
    let searched = rest.length;
    let bytes = Buffer.concat([rest, chunk.subarray(0, length)]);
    // A long line would be put together many times.
    if (bytes.length > 2 * size && size < CHUNK) size *= 2;
    for (let newline; (newline = bytes.indexOf(NEWLINE, searched)) !== -1; searched = 0) {
      const end = at + newline + 1;
      yield { text: bytes.toString('utf8', 0, newline), at, end };
      bytes = bytes.subarray(newline + 1);
      at = end;
    }
    rest = bytes;
  }
}

/** The whole line that begins at a byte; undefined where there is none. */
export function lineAt(file: number, at: number): Line | undefined {
  const [line] = linesOf(file, at, SMALL);
  return line;
}

/**
 * The first line whose key is not below `key`, in a file whose lines are in the order of their keys: by halves, so that a large file
 * costs few reads.
 */
export function lineFrom(file: number, key: string, keyOf: (line: string) => string): Line | undefined {
  let [low, high] = [0, fstatSync(file).size];
  // Every line that begins before `low` is below the key, and none that begins at `high` or later is needed to know which is first.
  while (high - low > 2 * SMALL) {
    const middle = Math.floor((low + high) / 2);
    const line = lineBehind(file, middle);
    if (line && line.at < high && keyOf(line.text) < key) low = line.end;
    else high = middle;
  }
  for (const line of linesOf(file, low, SMALL)) if (keyOf(line.text) >= key) return line;
  return undefined;
}

/** The first line that begins behind a byte. */
function lineBehind(file: number, byte: number): Line | undefined {
  const partOfOne = lineAt(file, byte);
  if (!partOfOne) return undefined;
  return lineAt(file, partOfOne.end);
}
