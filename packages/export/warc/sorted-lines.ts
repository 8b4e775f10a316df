import { createReadStream } from 'node:fs';
import { sortRecords } from '../../scan/index.js';

const NEWLINE = 0x0a;

/**
 * Sorts the lines of an ASCII file by their bytes, each with its line break, in bounded memory.
 * @param folder an existing folder for data that does not fit into memory
 * @throws CrawlError STORE_FULL, BAD_OUTPUT
 */
export function sortedLines(path: string, folder: string): AsyncGenerator<Buffer> {
  return sortRecords(linesOf(path), { folder });
}

async function* linesOf(path: string): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { highWaterMark: 2 ** 18 })) {
    const bytes = rest.length === 0 ? (chunk as Buffer) : Buffer.concat([rest, chunk as Buffer]);
    let at = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, at)) {
      yield bytes.subarray(at, end + 1);
      at = end + 1;
    }
    rest = bytes.subarray(at);
  }
  if (rest.length > 0) yield rest;
}
