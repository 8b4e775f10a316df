import { CrawlError } from '../../errors/index.js';
import type { KrakeFile } from './open-krake.js';

/** Finds records of variable length by their number. */
export interface RecordIndex {
  /** @throws CrawlError BAD_INPUT when the file is too short */
  record(number: number): Promise<Buffer>;
}

const RECORDS_PER_OFFSET = 256;
const PIECE = 2 ** 18;

/**
 * Reads a file once and remembers the offset of every 256th record.
 * @param count number of records; the first is at `start`
 * @param lengthOf returns the number of bytes of the record that begins at a position of a piece; undefined if the piece ends before the
 * length of the record
 * @throws CrawlError BAD_INPUT when the number of records is not `count`
 */
export async function openRecordIndex(
  file: KrakeFile,
  count: number,
  start: number,
  lengthOf: (piece: Buffer, at: number) => number | undefined,
): Promise<RecordIndex> {
  const begins = new Float64Array(Math.ceil(count / RECORDS_PER_OFFSET));
  let read = 0;
  const end = await walk(file, start, lengthOf, (offset) => {
    if (read % RECORDS_PER_OFFSET === 0) begins[read / RECORDS_PER_OFFSET] = offset;
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
      let left = number % RECORDS_PER_OFFSET;
      let found = { offset: 0, length: 0 };
      await walk(file, begins[Math.floor(number / RECORDS_PER_OFFSET)]!, lengthOf, (offset, length) => {
        found = { offset, length };
        return left-- > 0;
      });
      return file.read(found.offset, found.length);
    },
  };
}

/** Visits records in order as long as `visit` returns true. Returns the offset of the end of the last visited record. */
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
      throw new CrawlError('BAD_INPUT', `expected a record at ${begin} of ${file.name}, found the end of the file`);
    }
    // If the piece ends before the length of its first record, a larger piece is read.
    size = at === 0 ? 2 * size : PIECE;
    begin += at;
  }
  return file.size;
}
