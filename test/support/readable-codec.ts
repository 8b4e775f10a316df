import type { ContentLocation, LoggedState, Outlink, PageDigest, TextRange } from '../../webtable/index.js';
import { STATUS_CODES, type Status } from '../../webtable/schema.js';

/** The stored formats, written for reading and not for speed. The codecs of the table must write the same bytes. */
const utf8 = (value: string): Buffer => Buffer.from(value, 'utf8');

function double(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return bytes;
}

function uint(size: number, value: number): Buffer {
  const bytes = Buffer.alloc(size);
  bytes.writeUIntBE(value, 0, size);
  return bytes;
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
}

/** JSON without lone surrogates. */
function json(value: unknown): Buffer {
  const escape = /\\(?:ud[89a-f][0-9a-f]{2}|.)/g;
  return utf8(JSON.stringify(value).replace(escape, (found) => (found.length > 2 ? '\ufffd' : found)));
}

function links(all: readonly Outlink[]): Buffer {
  return json(
    all.flatMap(({ url, anchor, ...said }) => (Object.keys(said).length > 0 ? [url, anchor, said] : [url, anchor])),
  );
}

function locations(all: readonly ContentLocation[]): Buffer {
  return utf8(all.map(({ segment, offset, length }) => `${segment} ${offset} ${length}`).join('\n'));
}

function ranges(all: readonly TextRange[]): Buffer {
  return Buffer.from(
    all.flatMap(({ start, end, kind }, i) => [
      ...varint(start - (all[i - 1]?.end ?? 0)),
      ...varint((end - start) * 4 + (kind === 'prose' ? 0 : 1)),
    ]),
  );
}

function digest(page: PageDigest): Buffer {
  const { basis, length, linkCount, externalLinkCount, content, blocks, title, description, canonical } = page;
  return Buffer.concat([
    ...[basis, length, linkCount, externalLinkCount].map((value) => uint(4, value)),
    ...[content, blocks, title, description, canonical, page.links, page.externalLinks].map(double),
    uint(1, page.noindex ? 1 : 0),
    utf8(page.titleText),
  ]);
}

function logged(state: LoggedState): Buffer {
  const { stands, failing, http = 0, isFirst, seenAt, bodyAt, target } = state;
  const times = [seenAt, bodyAt, target, failing?.since, failing?.missingSince];
  const known = state.digest ? digest(state.digest) : Buffer.alloc(0);
  let flags = (state.suspect ? 0x20 : 0) + (isFirst ? 0x40 : 0) + (state.digest ? 0x80 : 0);
  for (const [i, time] of times.entries()) flags += time === undefined ? 0 : 1 << i;
  return Buffer.concat([
    uint(1, [undefined, 'page', 'redirect'].indexOf(stands)),
    uint(1, [undefined, 'no', 'status', 'gone'].indexOf(failing?.logged)),
    uint(2, http),
    uint(1, flags),
    uint(2, known.length),
    ...times.flatMap((time) => (time === undefined ? [] : [double(time)])),
    known,
    ...(state.suspect ? [digest(state.suspect)] : []),
  ]);
}

export const READABLE_CODECS = {
  status: (value: Status) => uint(1, STATUS_CODES[value]),
  score: double,
  text: utf8,
  headings: json,
  outlinks: links,
  contentLocation: (value: ContentLocation) => locations([value]),
  contentVersions: locations,
  textRanges: ranges,
  digest,
  logged,
};
