import { roleOf, type Role } from '../page-element.js';
import { isAt } from './html-tags.js';

/** What the scanner knows of the elements of one name. */
export interface ElementKind {
  /** In lower case. */
  readonly name: string;
  /** Those of the rules below that hold of it, each a bit. */
  readonly rules: number;
  /** The name in UTF-8. */
  readonly bytes: Uint8Array;
  /** What it is to a reader of pages. */
  readonly role: Role | undefined;
}

/** Content or place follows rules that the scanner does not know. */
export const NEVER_SURE = 1 << 0;
/** An element of SVG that holds others of it and text, and neither HTML nor scripts. */
export const IN_SVG = 1 << 1;
/** 13.2.6.4.16: what a list of choices is made of. */
export const SELECT_PART = 1 << 2;
/** 13.2.6.4.4: belongs in the head. */
export const IN_HEAD = 1 << 3;
/** Has no content. */
export const VOID = 1 << 4;
/** Content is text in which nothing counts but the end tag, or, for the second, character references besides. */
export const RAW_TEXT = 1 << 5;
export const RICH_TEXT = 1 << 6;
export const HEADING = 1 << 7;
/** 13.2.6.4.7: the start tag closes an open paragraph. */
export const CLOSES_P = 1 << 8;
/** 13.2.6.4.7: before the end tag others may be left out. */
export const BLOCK_END = 1 << 9;
/** 13.2.6.3: the end tag may be left out. */
export const IMPLIED_END = 1 << 10;
/** 13.2.4.2: bounds the search for an open element; the others are for an open paragraph, list item or part of a table. */
export const SCOPE = 1 << 11;
export const BUTTON_SCOPE = 1 << 12;
export const LIST_SCOPE = 1 << 13;
export const TABLE_SCOPE = 1 << 14;
/** Means something within a table only. */
export const TABLE_TAG = 1 << 15;
/** An element of a table which holds nothing but other parts of it. */
export const TABLE_PART = 1 << 16;
/** 13.2.4.2: the search for an open list item ends there. */
export const ENDS_ITEM_SEARCH = 1 << 17;
/** Closes an item of the same list. */
export const ITEM = 1 << 18;
/** Is never within another of its name. */
export const NOT_NESTED = 1 << 19;
/** `html`, `head` and `body`, of which there is one. */
export const ONLY_ONE = 1 << 20;
/** A reader of pages may ask for attributes of it. */
export const WITH_ATTRIBUTES = 1 << 21;
/** An element of a table which holds what people read. */
export const CELL = 1 << 22;

const BOUNDS = 'applet caption html marquee object table td th';

const NAMES: readonly (readonly [rule: number, names: string])[] = [
  [NEVER_SURE, 'frame frameset image math nobr plaintext rb rp rt rtc template'],
  [IN_SVG, 'circle clippath defs ellipse g line lineargradient marker mask path pattern polygon polyline'],
  [IN_SVG, 'radialgradient rect stop svg symbol text tspan use'],
  [SELECT_PART, 'optgroup option select'],
  [IN_HEAD, 'base basefont bgsound link meta noframes script style title'],
  [VOID, 'area base basefont bgsound br col embed hr img input keygen link meta param source track wbr'],
  [RAW_TEXT, 'iframe noembed noframes script style xmp'],
  [RICH_TEXT, 'textarea title'],
  [HEADING, 'h1 h2 h3 h4 h5 h6'],
  [CLOSES_P, 'address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure'],
  [CLOSES_P, 'footer form h1 h2 h3 h4 h5 h6 header hgroup hr li listing main menu nav ol p pre search section'],
  [CLOSES_P, 'summary table ul xmp'],
  [BLOCK_END, 'address applet article aside blockquote button center dd details dialog dir div dl dt fieldset'],
  [BLOCK_END, 'figcaption figure footer form header hgroup listing main marquee menu nav object ol pre search'],
  [BLOCK_END, 'section summary ul'],
  [IMPLIED_END, 'dd dt li p'],
  [SCOPE, BOUNDS],
  [BUTTON_SCOPE, `${BOUNDS} button`],
  [LIST_SCOPE, `${BOUNDS} ol ul`],
  [TABLE_SCOPE, 'html table'],
  [TABLE_TAG, 'caption col colgroup tbody td tfoot th thead tr'],
  [TABLE_PART, 'colgroup table tbody tfoot thead tr'],
  [CELL, 'caption td th'],
  // All that are special but `address`, `div` and `p`.
  [ENDS_ITEM_SEARCH, 'applet area article aside base basefont bgsound blockquote body br button caption center col'],
  [ENDS_ITEM_SEARCH, 'colgroup dd details dir dl dt embed fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6'],
  [ENDS_ITEM_SEARCH, 'head header hgroup hr html iframe img input keygen li link listing main marquee menu meta nav'],
  [ENDS_ITEM_SEARCH, 'noembed noframes noscript object ol param pre script search section source style summary table'],
  [ENDS_ITEM_SEARCH, 'tbody td textarea tfoot th thead title tr track ul wbr xmp'],
  [ITEM, 'dd dt li'],
  [NOT_NESTED, 'a button form'],
  [ONLY_ONE, 'body head html'],
  [WITH_ATTRIBUTES, 'a area base form frame html iframe img link meta script source'],
];

/** The rules that say something of where the start tag may be, what it closes, or what is in the element. */
export const MORE_THAN_OPENED =
  IN_SVG | SELECT_PART | VOID | RAW_TEXT | RICH_TEXT | HEADING | CLOSES_P | TABLE_TAG | ITEM | NOT_NESTED | ONLY_ONE;

/** The bits of a letter that are the same in either case. */
const LETTER = 0x1f;

/** Kinds by a hash of their names, in the first free place from there on. */
const SIZE = 1024;
const KINDS: (ElementKind | undefined)[] = Array.from({ length: SIZE });
for (const each of kinds()) {
  let slot = hashOf(each.bytes, 0, each.bytes.length);
  while (KINDS[slot]) slot = (slot + 1) % SIZE;
  KINDS[slot] = each;
}

function kinds(): ElementKind[] {
  const rulesOf = new Map<string, number>();
  for (const [rule, names] of NAMES) {
    for (const name of names.split(' ')) rulesOf.set(name, (rulesOf.get(name) ?? 0) | rule);
  }
  for (const name of 'b code em i small span strong tt u var'.split(' ')) rulesOf.set(name, 0);
  return Array.from(rulesOf, ([name, rules]) => kind(name, rules));
}

function kind(name: string, rules: number): ElementKind {
  return { name, rules, bytes: Buffer.from(name), role: roleOf(name) };
}

/**
 * The kind of the name between two places, in any case. A known kind is always the same object; an unknown one is made anew, and
 * has no rules.
 */
export function kindAt(bytes: Buffer, start: number, end: number): ElementKind {
  for (let slot = hashOf(bytes, start, end); ; slot = (slot + 1) % SIZE) {
    const known = KINDS[slot];
    if (!known) break;
    if (known.bytes.length === end - start && isAt(known.bytes, bytes, start)) return known;
  }
  const name = bytes.toString('utf8', start, end);
  return kind(
    name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()),
    0,
  );
}

/** The kind of a name in lower case that is known. */
export function kindOf(name: string): ElementKind {
  return kindAt(Buffer.from(name), 0, Buffer.byteLength(name));
}

/** By the length of a name and three letters of it. With these factors hardly two names of HTML have the same. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  const first = bytes[start]! & LETTER;
  const middle = bytes[(start + end) >>> 1]! & LETTER;
  const last = bytes[end - 1]! & LETTER;
  return (first + 38 * middle + 31 * last + 64 * (end - start)) & (SIZE - 1);
}
