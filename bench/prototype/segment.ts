import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { ByteReader, ByteWriter } from './bytes.js';
import type { PageLink, PagePlace } from './group.js';

/** The stored content of a page besides its row. */
export interface StoredPage {
  readonly url: string;
  /** The head of the answer as received. */
  readonly head: Buffer;
  readonly body: Buffer;
  readonly text: string;
  readonly links: readonly PageLink[];
}

/** Bytes of the length and CRC before each record. */
const HEAD = 8;
/** Maximum bytes of a segment; then another one begins. */
const LIMIT = 256 * 2 ** 20;

/** The path of a segment. */
export function segmentPath(folder: string, segment: number): string {
  return join(folder, `segment-${segment}`);
}

/**
 * Appends pages to its own segment files. Records are collected, and written together by {@link flush}. A record has its length and CRC,
 * then URL, head, body, text and links.
 */
export class SegmentWriter {
  readonly #folder: string;
  readonly #step: number;
  readonly #bytes = new ByteWriter(2 ** 20);
  #segment: number;
  #file: number | undefined;
  /** Size of the file in bytes. */
  #written = 0;

  /**
   * @param first the number of its first segment, which does not exist yet
   * @param step difference between the numbers of its segments
   */
  constructor(folder: string, first: number, step: number) {
    this.#folder = folder;
    this.#segment = first;
    this.#step = step;
  }

  /** Number of collected bytes. */
  get gathered(): number {
    return this.#bytes.length;
  }

  /** @param links their number, then URL and anchor of each, in the form that {@link readPage} reads */
  add(url: string, head: Uint8Array, body: Uint8Array, text: Uint8Array, links: Uint8Array): PagePlace {
    const to = this.#bytes;
    const start = to.length;
    to.uint32(0);
    to.uint32(0);
    to.ascii(url);
    to.varint(head.length);
    to.bytes(head);
    to.varint(body.length);
    to.bytes(body);
    to.varint(links.length);
    to.bytes(links);
    to.bytes(text);
    const length = to.length - start;
    to.setUint32(length, start);
    to.setUint32(crc32(to.view(start + HEAD)), start + 4);
    return { segment: this.#segment, offset: this.#written + start, length };
  }

  /** Writes the collected records. After that a kill of the process loses none of them. */
  flush(): void {
    this.#file ??= openSync(segmentPath(this.#folder, this.#segment), 'wx');
    writeAll(this.#file, this.#bytes.view());
    this.#written += this.#bytes.length;
    this.#bytes.clear();
    if (this.#written < LIMIT) return;
    closeSync(this.#file);
    this.#file = undefined;
    this.#segment += this.#step;
    this.#written = 0;
  }
}

/** Writes all bytes at the end of a file. */
export function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
}

/**
 * Reads a page back.
 * @throws Error if the record is incomplete
 */
export function readPage(file: number, { offset, length }: PagePlace): StoredPage {
  const bytes = Buffer.alloc(length);
  const read = readSync(file, bytes, 0, length, offset);
  if (read < length || bytes.readUInt32LE(0) !== length || bytes.readUInt32LE(4) !== crc32(bytes.subarray(HEAD))) {
    throw new Error(`expected a record of ${length} bytes at ${offset}, found none that is whole`);
  }
  const from = new ByteReader(bytes, HEAD);
  const url = from.ascii();
  const head = from.bytes(from.varint());
  const body = from.bytes(from.varint());
  const links: PageLink[] = [];
  const linksEnd = from.varint() + from.at;
  while (from.at < linksEnd) links.push({ url: from.ascii(), anchor: from.text() });
  return { url, head, body, text: bytes.toString('utf8', linksEnd), links };
}
