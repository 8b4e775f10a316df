import { kindOf } from '../../../packages/parse/html/scan/html-elements.js';

/** What the byte scanner knows of the elements of one name. */
export interface Tag {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Those of the scanner of strings. */
  readonly rules: number;
  readonly isBreaking: boolean;
  /** The content is left out up to its end tag. */
  readonly isSilent: boolean;
  /** What it says of the page is read from its attributes. */
  readonly isOfHead: boolean;
  /** Of a part of a table: its end closes what has a smaller one. 0: it is none */
  readonly level: number;
}

/** Names that are breaking, see `PageBody`, and known here. */
const BREAKING =
  'address article aside blockquote body br button caption center col dd details dialog dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe legend li main menu nav ol p pre section summary table tbody td textarea tfoot th thead title tr ul';
/** The others that are known here: a page with any other is for the scanner of strings. */
const OTHER =
  'a abbr acronym area b base big bdi bdo cite code colgroup data del dfn em embed font i img input ins kbd label link mark meta object output param q s samp script small source span strike strong style sub sup svg time track tt u var wbr';
const SILENT = new Set(['script', 'style']);
const OF_HEAD = new Set(['base', 'html', 'link', 'meta']);
const LEVELS: Readonly<Record<string, number>> = {
  td: 1,
  th: 1,
  tr: 2,
  tbody: 3,
  thead: 3,
  tfoot: 3,
  caption: 3,
  colgroup: 3,
  table: 4,
};

const SIZE = 1024;
const TAGS: (Tag | undefined)[] = Array.from({ length: SIZE });
for (const name of `${BREAKING} ${OTHER}`.split(' ')) {
  const tag: Tag = {
    name,
    bytes: Buffer.from(name),
    rules: kindOf(name).rules,
    isBreaking: BREAKING.split(' ').includes(name),
    isSilent: SILENT.has(name),
    isOfHead: OF_HEAD.has(name),
    level: LEVELS[name] ?? 0,
  };
  let slot = hashOf(tag.bytes, 0, tag.bytes.length) & (SIZE - 1);
  while (TAGS[slot]) slot = (slot + 1) & (SIZE - 1);
  TAGS[slot] = tag;
}

/** The tag of a name in any case; undefined for one that is not known here. */
export function tagOf(bytes: Uint8Array, start: number, end: number): Tag | undefined {
  for (let slot = hashOf(bytes, start, end) & (SIZE - 1); ; slot = (slot + 1) & (SIZE - 1)) {
    const tag = TAGS[slot];
    if (!tag) return undefined;
    if (tag.bytes.length === end - start && isNamed(tag, bytes, start)) return tag;
  }
}

/** Whether a name in any case is that of a tag. */
export function isNamed(tag: Tag, bytes: Uint8Array, start: number): boolean {
  const name = tag.bytes;
  for (let i = 0; i < name.length; i++) {
    const byte = bytes[start + i]!;
    // Digits stay as they are.
    if (byte !== name[i] && (byte | 0x20) !== name[i]) return false;
    if (byte < 0x30) return false;
  }
  return true;
}

function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = end - start;
  for (let at = start; at < end; at++) hash = (Math.imul(hash, 31) + (bytes[at]! | 0x20)) | 0;
  return hash ^ (hash >>> 10);
}
