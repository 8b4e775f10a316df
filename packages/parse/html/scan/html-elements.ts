import { MARKABLE, roleOf, roleOfElement, type PageElement, type Role } from '../page-element.js';
import { isAt } from './html-tags.js';

export interface ElementKind {
  readonly name: string;
  readonly rules: number;
  readonly bytes: Uint8Array;
  /** The role of these elements for page readers. Undefined: they have no effect. */
  readonly role: Role | undefined;
}

/** The scanner has no rules for the content or the position of this element. */
export const NEVER_SURE = 1 << 0;
/** An SVG element that contains only text and other SVG elements, and no scripts. */
export const IN_SVG = 1 << 1;
/** A part of a `select` list (HTML Standard, 13.2.6.4.16). */
export const SELECT_PART = 1 << 2;
/** The element belongs in the head (HTML Standard, 13.2.6.4.4). */
export const IN_HEAD = 1 << 3;
export const VOID = 1 << 4;
/** The content is text up to the end tag of the element. With RICH_TEXT, the text may contain character references. */
export const RAW_TEXT = 1 << 5;
export const RICH_TEXT = 1 << 6;
export const HEADING = 1 << 7;
/** The start tag closes an open paragraph (HTML Standard, 13.2.6.4.7). */
export const CLOSES_P = 1 << 8;
/** The end tag also closes the elements inside, if their end tags may be left out (HTML Standard, 13.2.6.4.7). */
export const BLOCK_END = 1 << 9;
/** The end tag may be left out (HTML Standard, 13.2.6.3). */
export const IMPLIED_END = 1 << 10;
/**
 * The search for an open element ends at this element (HTML Standard, 13.2.4.2). The next three rules do the same for the search for a
 * paragraph, a list item and a part of a table.
 */
export const SCOPE = 1 << 11;
export const BUTTON_SCOPE = 1 << 12;
export const LIST_SCOPE = 1 << 13;
export const TABLE_SCOPE = 1 << 14;
/** The element has a meaning only inside a table. */
export const TABLE_TAG = 1 << 15;
/** A table element that contains only other parts of the table. */
export const TABLE_PART = 1 << 16;
/** The search for an open list item ends here (HTML Standard, 13.2.4.2). */
export const ENDS_ITEM_SEARCH = 1 << 17;
/** The start tag closes the previous item of the same list. */
export const ITEM = 1 << 18;
/** An element of this name is never inside another element of the same name. */
export const NOT_NESTED = 1 << 19;
/** `html`, `head` and `body`: a page has one of each. */
export const ONLY_ONE = 1 << 20;
export const WITH_ATTRIBUTES = 1 << 21;
/** A table element with content for readers. */
export const CELL = 1 << 22;
export const MAY_BE_MARKED = 1 << 23;

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
  // All special elements of the Standard except `address`, `div` and `p`.
  [ENDS_ITEM_SEARCH, 'applet area article aside base basefont bgsound blockquote body br button caption center col'],
  [ENDS_ITEM_SEARCH, 'colgroup dd details dir dl dt embed fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6'],
  [ENDS_ITEM_SEARCH, 'head header hgroup hr html iframe img input keygen li link listing main marquee menu meta nav'],
  [ENDS_ITEM_SEARCH, 'noembed noframes noscript object ol param pre script search section source style summary table'],
  [ENDS_ITEM_SEARCH, 'tbody td textarea tfoot th thead title tr track ul wbr xmp'],
  [ITEM, 'dd dt li'],
  [NOT_NESTED, 'a button form'],
  [ONLY_ONE, 'body head html'],
  [MAY_BE_MARKED, [...MARKABLE].join(' ')],
  [WITH_ATTRIBUTES, 'a area base form frame html iframe img link meta script source'],
];

/**
 * All rules for which the start tag does more than open the element. They depend on the position of the tag, close other elements, or
 * concern the content of the element.
 */
export const MORE_THAN_OPENED =
  IN_SVG | SELECT_PART | VOID | RAW_TEXT | RICH_TEXT | HEADING | CLOSES_P | TABLE_TAG | ITEM | NOT_NESTED | ONLY_ONE;

/** Mask for the bits of a letter that are the same in upper and lower case. */
const LETTER = 0x1f;

/** Number of slots of a hash table of kinds, by name. The slot of a kind is the first free slot from its hash on. */
const TABLE_SLOTS = 1024;
const KINDS: (ElementKind | undefined)[] = Array.from({ length: TABLE_SLOTS });
for (const each of kinds()) {
  let slot = hashOf(each.bytes, 0, each.bytes.length);
  while (KINDS[slot]) slot = (slot + 1) % TABLE_SLOTS;
  KINDS[slot] = each;
}

function kinds(): ElementKind[] {
  const rulesOf = new Map<string, number>();
  for (const [rule, names] of NAMES) {
    for (const name of names.split(' ')) rulesOf.set(name, (rulesOf.get(name) ?? 0) | rule);
  }
  for (const name of 'b code em i small strong tt u var'.split(' ')) rulesOf.set(name, 0);
  return Array.from(rulesOf, ([name, rules]) => kind(name, rules));
}

function kind(name: string, rules: number): ElementKind {
  return { name, rules, bytes: Buffer.from(name), role: roleOf(name) };
}

/**
 * Returns the kind of the element whose name is between two positions, in any letter case. For a known name, the result is always the
 * same object. For an unknown name, it is a new object without rules.
 */
export function kindAt(bytes: Buffer, start: number, end: number): ElementKind {
  for (let slot = hashOf(bytes, start, end); ; slot = (slot + 1) % TABLE_SLOTS) {
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

/** Returns the kind of an element whose role may depend on its attributes. If the attributes change the role, the result is a new kind. */
export function markedKind(kind: ElementKind, element: PageElement): ElementKind {
  const role = roleOfElement(element);
  return role === kind.role ? kind : { name: kind.name, rules: kind.rules, bytes: kind.bytes, role };
}

export function kindOf(name: string): ElementKind {
  return kindAt(Buffer.from(name), 0, Buffer.byteLength(name));
}

/**
 * Returns a hash of the length of a name and of three of its letters. With these factors, hardly any two names of HTML have the same
 * hash.
 */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  const first = bytes[start]! & LETTER;
  const middle = bytes[(start + end) >>> 1]! & LETTER;
  const last = bytes[end - 1]! & LETTER;
  return (first + 38 * middle + 31 * last + 64 * (end - start)) & (TABLE_SLOTS - 1);
}
