import { CrawlError } from '../../errors/index.js';
import type { KrakeFile } from './open-krake.js';

/** Finds records of different lengths by their number. */
export interface RecordIndex {
  /** @throws CrawlError BAD_INPUT where the file ends before */
  record(number: number): Promise<Buffer>;
}

/** Of so many records one is remembered. */
const STRIDE = 256;
const PIECE = 2 ** 18;

/**
 * Reads through a file once and remembers where every 256th record begins.
 * @param count records, the first of which is at `start`
 * @param lengthOf bytes of the record that begins at a place of a piece; undefined where the piece does not say it
 * @throws CrawlError BAD_INPUT where the file has others than `count` records
 */
export async function openRecordIndex(
  file: KrakeFile,
  count: number,
  start: number,
  lengthOf: (piece: Buffer, at: number) => number | undefined,
): Promise<RecordIndex> {
  const begins = new Float64Array(Math.ceil(count / STRIDE));
  let read = 0;
  const end = await walk(file, start, lengthOf, (offset) => {
    if (read % STRIDE === 0) begins[read / STRIDE] = offset;
    return ++read < count;
  });
  if (read !== count || end !== file.size) {
    throw new CrawlError(
      'BAD_INPUT',
      `expected ${count} records in ${file.name}, found ${read < count ? read : 'more'}`,
    );
  }
  return {
    async record(number) {
      let left = number % STRIDE;
      let found = { offset: 0, length: 0 };
      await walk(file, begins[Math.floor(number / STRIDE)]!, lengthOf, (offset, length) => {
        found = { offset, length };
        return left-- > 0;
      });
      return file.read(found.offset, found.length);
    },
  };
}

/** Visits record after record, as long as `visit` says; returns where the last one ends. */
async function walk(
  file: KrakeFile,
  start: number,
  lengthOf: (piece: Buffer, at: number) => number | undefined,
  visit: (offset: number, length: number) => boolean,
): Promise<number> {
  let size = PIECE;
  for (let begin = start; begin < file.size;) {
    const piece = await file.read(begin, Math.min(size, file.size - begin));
    let at = 0;
    while (at < piece.length) {
      const length = lengthOf(piece, at);
      if (length === undefined) break;
      if (!(length > 0 && begin + at + length <= file.size)) {
        throw new CrawlError('BAD_INPUT', `expected a record at ${begin + at} of ${file.name}, found none`);
      }
      if (!visit(begin + at, length)) return begin + at + length;
      at += length;
    }
    if (at === 0 && piece.length === file.size - begin) {
      throw new CrawlError('BAD_INPUT', `expected a record at ${begin} of ${file.name}, found its end`);
    }
    // A record whose length is further away than the piece is.
    size = at === 0 ? 2 * size : PIECE;
    begin += at;
  }
  return file.size;
}
