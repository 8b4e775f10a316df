import { sniffSitemap, type JsonValue, type Plugin } from '../../core/index.js';
import { FACTS_FIELD, MARKS, NO_FACTS, encodeFacts, encodeLink, type PageFacts, type RowStatements } from './facts.js';
import { readPageFacts, type FactsPage } from './page-facts.js';

/**
 * Maximum number of bytes of the facts of a page. Most pages take one or two thousand bytes. The longest pages of manuals, with 2,000 ids
 * and as many links, take forty thousand. All plugins together may store 65,536 bytes.
 */
const MAX_BYTES = 48_000;
/** The bytes of an empty list. `MAX_CUT` is a number of links that takes as many bytes as any. */
const LIST_BYTES = 8;
const MAX_CUT = 999_999_999;
/** Maximum number of bytes of each list other than links, on a page with too many facts. */
const MAX_OTHERS = 6_000;
/** Maximum number of ids of a page that are stored. They take half of the space. */
const MAX_IDS = 4_500;

export function auditFacts(): Plugin {
  return {
    name: 'audit-facts',
    onPage: (page) => ({ [FACTS_FIELD]: storedFactsOf(page) }),
  };
}

/** Returns the facts of a page in the form that is stored: ids and links that exceed the maximum size are dropped and counted. */
export function storedFactsOf(page: FactsPage) {
  return encodeWithin(factsOf(page), page);
}

export function factsOf(page: FactsPage): PageFacts {
  const document = page.document();
  if (document) return readPageFacts(page, document);
  return { ...NO_FACTS, marks: marksOf(page) };
}

function marksOf({ contentType, content, truncated }: FactsPage): number {
  const cut = truncated ? MARKS.truncated : 0;
  if (!/[/+]xml$/.test(contentType)) return cut;
  const head = Buffer.from(content.buffer, content.byteOffset, Math.min(content.length, 65_536)).toString('latin1');
  const isSitemap = sniffSitemap(content) === 'application/xml' && /<(?:\w+:)?(?:urlset|sitemapindex)[\s>]/.test(head);
  if (!isSitemap) return cut;
  return cut | MARKS.sitemap | (/<\w+:link\s[^>]*hreflang/.test(head) ? MARKS.alternates : 0);
}

function encodeWithin(facts: PageFacts, row: RowStatements) {
  const ids = facts.ids.slice(0, MAX_IDS);
  const cutIds = facts.ids.length - ids.length;
  // If some ids are unknown, no fragment may be reported as missing.
  const marks = facts.marks | (cutIds > 0 ? MARKS.truncated : 0);
  const whole = encodeFacts({ ...facts, ids, cutIds, marks }, row);
  if (bytesOf(whole) <= MAX_BYTES) return whole;
  // Anchors are only shown, so they are dropped before any link is dropped.
  const links = facts.links.map((link) => ({ ...link, anchor: '' }));
  const others = {
    bad: fitting(facts.bad, MAX_OTHERS, Object.values),
    canonicals: fitting(facts.canonicals, MAX_OTHERS, Object.values),
    alternates: fitting(facts.alternates, MAX_OTHERS, Object.values),
  };
  const isCut = others.alternates.length < facts.alternates.length;
  const rest = { ...facts, ...others, ids, cutIds, marks: marks | (isCut ? MARKS.cutAlternates : 0) };
  const kept = fitting(
    links,
    MAX_BYTES - bytesOf(encodeFacts({ ...rest, links: [], cutLinks: MAX_CUT }, row)),
    encodeLink,
  );
  const before = [facts.links, facts.bad, facts.canonicals, facts.alternates];
  const after = [kept, others.bad, others.canonicals, others.alternates];
  const lengthOf = (lists: readonly (readonly unknown[])[]): number => lists.flat().length;
  return encodeFacts({ ...rest, links: kept, cutLinks: facts.cutLinks + lengthOf(before) - lengthOf(after) }, row);
}

/** Returns the first items of a list that together have at most this number of bytes in their encoded form. */
function fitting<T>(list: readonly T[], room: number, encode: (item: T & object) => JsonValue): readonly T[] {
  let left = room - LIST_BYTES;
  const over = list.findIndex((item) => (left -= bytesOf(encode(item as T & object)) + 1) < 0);
  return over === -1 ? list : list.slice(0, over);
}

function bytesOf(encoded: JsonValue): number {
  return Buffer.byteLength(JSON.stringify(encoded));
}
