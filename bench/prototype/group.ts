import { ByteReader, ByteWriter } from './bytes.js';

/** Bytes of the digest of a body. */
const DIGEST_LENGTH = 20;

/** The location of a page in the segments. */
export interface PagePlace {
  /** The number of the segment. */
  readonly segment: number;
  readonly offset: number;
  /** Length of the whole record in bytes. */
  readonly length: number;
}

/** The results of fetching and parsing a page: the part of a row that the fetch worker owns. */
export interface PageFields {
  /** A code of `STATUS_CODES`. */
  readonly status: number;
  /** The HTTP status; 0: there was no answer. */
  readonly http: number;
  /** In ms since the epoch. */
  readonly fetchedAt: number;
  readonly fetchMs: number;
  readonly title: string;
  /** Absent: no content is stored. */
  readonly place: PagePlace | undefined;
  readonly bodyLength: number;
  readonly digest: Uint8Array | undefined;
}

/** A link of a page. URLs are given by their index in the group. */
export interface PageLink {
  readonly url: string;
  readonly anchor: string;
}

/** Called with the content of a group, in order. */
export interface GroupVisitor {
  /** Called first with the URLs of the group; pages and links refer to them by index. */
  urls(urls: readonly string[]): void;
  /** @param redirect index of the redirect target; -1: it does not redirect */
  page(url: number, fields: PageFields, redirect: number): void;
  /** A link of the last page. The anchor is at this position in the bytes of the group. */
  link(url: number, anchorAt: number, anchorLength: number): void;
}

/** The entry of a URL in the dictionary of a worker. The group stores here the index of the URL in it. */
export interface GroupUrl {
  readonly url: string;
  group: number;
  index: number;
}

/**
 * Collects the results of some pages in one message for the table thread, which writes it unchanged to the journal. It names each URL once,
 * and is self-contained.
 */
export class GroupWriter {
  readonly #urls = new ByteWriter(65_536);
  readonly #pages = new ByteWriter(262_144);
  #urlCount = 0;
  #number = 1;
  /** Number of pages in the group. */
  pages = 0;

  addPage(page: GroupUrl, fields: PageFields, redirect: GroupUrl | undefined, links: number): void {
    const to = this.#pages;
    this.pages++;
    to.varint(this.#index(page));
    writeFields(to, fields);
    to.varint(redirect ? this.#index(redirect) + 1 : 0);
    to.varint(links);
  }

  /** Adds a link of the last page. The number of its links was given with the page. */
  addLink(target: GroupUrl, anchor: string): void {
    this.#pages.varint(this.#index(target));
    this.#pages.text(anchor);
  }

  /** Returns the bytes of the group, and begins another one. */
  take(): Uint8Array<ArrayBuffer> {
    const head = new ByteWriter(16);
    head.varint(this.pages);
    head.varint(this.#urlCount);
    const bytes = new Uint8Array(head.length + this.#urls.length + this.#pages.length);
    bytes.set(head.view());
    bytes.set(this.#urls.view(), head.length);
    bytes.set(this.#pages.view(), head.length + this.#urls.length);
    this.#urls.clear();
    this.#pages.clear();
    this.#urlCount = this.pages = 0;
    this.#number++;
    return bytes;
  }

  #index(entry: GroupUrl): number {
    if (entry.group === this.#number) return entry.index;
    entry.group = this.#number;
    entry.index = this.#urlCount++;
    this.#urls.ascii(entry.url);
    return entry.index;
  }
}

/** Writes fields in the form of groups and rows. */
export function writeFields(to: ByteWriter, fields: PageFields): void {
  to.byte(fields.status);
  to.varint(fields.http);
  to.double(fields.fetchedAt);
  to.varint(fields.fetchMs);
  to.text(fields.title);
  to.varint(fields.bodyLength);
  to.byte(fields.place ? 1 : 0);
  if (!fields.place || !fields.digest) return;
  to.varint(fields.place.segment);
  to.varint(fields.place.offset);
  to.varint(fields.place.length);
  to.bytes(fields.digest);
}

/** Reads the bytes of {@link writeFields}. */
export function readFields(from: ByteReader): PageFields {
  const [status, http, fetchedAt, fetchMs] = [from.byte(), from.varint(), from.double(), from.varint()];
  const [title, bodyLength] = [from.text(), from.varint()];
  const isStored = from.byte() === 1;
  const place = isStored ? { segment: from.varint(), offset: from.varint(), length: from.varint() } : undefined;
  const digest = isStored ? from.bytes(DIGEST_LENGTH) : undefined;
  return { status, http, fetchedAt, fetchMs, title, bodyLength, place, digest };
}

/** Reads a group. */
export function readGroup(bytes: Buffer, visitor: GroupVisitor): void {
  const from = new ByteReader(bytes);
  const pages = from.varint();
  const urls: string[] = [];
  for (let left = from.varint(); left > 0; left--) urls.push(from.ascii());
  visitor.urls(urls);
  for (let i = 0; i < pages; i++) {
    const url = from.varint();
    const fields = readFields(from);
    visitor.page(url, fields, from.varint() - 1);
    for (let left = from.varint(); left > 0; left--) {
      const target = from.varint();
      const length = from.varint();
      visitor.link(target, from.at, length);
      from.at += length;
    }
  }
}
