import type { CrawledPage, HeadLink, JsonValue } from '../../core/index.js';
import { MAX_ANCHOR, MAX_TEXT, short } from './short.js';

export const FACTS_FIELD = 'audit';
/** Increase it when a fact is computed or stored in another way. Facts of another version are ignored. */
export const FACTS_VERSION = 1;

/** What the row of a page states in its own fields. Facts with the same statement are stored as a reference to it. */
export type RowStatements = {
  readonly [K in 'canonical' | 'headings' | 'metadata']?: CrawledPage[K] | undefined;
};
/** The reference to a statement of the row, in place of its text. */
const STATED_BY_ROW = 0;

export interface LinkFact {
  /** The index of the link among the outlinks of the row. If it is not among them: its absolute URL. */
  readonly to: number | string;
  /** An index into `LINK_KINDS`. */
  readonly kind: number;
  /** The line in the source, from 1 on; 0: unknown. */
  readonly line: number;
  /** Escaped as in the URL Standard. Empty: the link has no fragment. */
  readonly fragment: string;
  /** Empty: the anchor equals that of the outlink. */
  readonly anchor: string;
  /** Flags of `REL`. */
  readonly rel: number;
}

export const FLAWS = ['not a URL', 'two schemes', 'a misspelt scheme', 'no host name', 'a template left over'] as const;

export interface BadLink {
  readonly raw: string;
  /** An index into {@link FLAWS}. */
  readonly flaw: number;
  readonly kind: number;
  readonly line: number;
  readonly anchor: string;
  /** The index of the link among the outlinks of the row, because a crawl may follow it; -1: the link is not an outlink. */
  readonly to: number;
}

type Place = HeadLink['place'];

export interface PageFacts {
  /** Hashes of the ids and anchor names of the page, see `idHash`. */
  readonly ids: Uint32Array;
  readonly links: readonly LinkFact[];
  /** Number of ids of the page to which links on the same page lead. These links are not in `links`. */
  readonly ownPlaces: number;
  readonly bad: readonly BadLink[];
  /** Number of titles with text in the head. */
  readonly titles: number;
  readonly description: string;
  /** The levels of the headings, one digit each, in the order of the page. */
  readonly headings: string;
  readonly h1: string;
  readonly canonicals: readonly { readonly url: string; readonly place: Place }[];
  readonly alternates: readonly { readonly tag: string; readonly url: string; readonly place: Place }[];
  /** Number of words outside navigation. */
  readonly words: number;
  /** Simhash of the words outside navigation, in two halves. */
  readonly simhash: readonly [high: number, low: number];
  /** Flags of {@link MARKS}. */
  readonly marks: number;
  readonly imagesWithoutAlt: number;
  /** Number of JSON-LD blocks that are not valid JSON. */
  readonly badJsonLd: number;
  /** Number of ids that were dropped because the page has too many. */
  readonly cutIds: number;
  readonly cutLinks: number;
}

export const MARKS = {
  /** The page has the root element of an app that scripts fill. */
  app: 1,
  scripts: 2,
  /** The page is a challenge of a firewall. */
  wall: 4,
  truncated: 8,
  password: 16,
  sitemap: 32,
  alternates: 64,
  /** The page names more versions in other languages than are stored. */
  cutAlternates: 128,
} as const;

export const NO_FACTS = factsFrom({}, {});

/**
 * FNV-1a of 32 bits over UTF-16 units. On a page with 1,000 ids, a missing fragment has the hash of one of them in one of four million
 * cases, and is then not reported. A fragment that exists is never reported.
 */
export function idHash(id: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

type Stored = Readonly<Record<string, JsonValue>>;

export function encodeFacts(facts: PageFacts, row: RowStatements = {}): Stored {
  const { ids, links, bad, canonicals, alternates, simhash, words, cutIds, cutLinks } = facts;
  return {
    v: FACTS_VERSION,
    ...(ids.length > 0 && { ids: Buffer.from(ids.buffer, ids.byteOffset, ids.byteLength).toString('base64') }),
    ...(links.length > 0 && { l: links.map(encodeLink) }),
    ...(bad.length > 0 && {
      b: bad.map(({ raw, flaw, kind, line, anchor, to }) => [raw, flaw, kind, line, anchor, to]),
    }),
    ...(canonicals.length > 0 && {
      c: canonicals.map(({ url, place }) => [url === row.canonical ? STATED_BY_ROW : url, place]),
    }),
    ...(alternates.length > 0 && {
      x: alternates.map(({ tag, url, place }) => [tag, url === alternateOf(row, tag) ? STATED_BY_ROW : url, place]),
    }),
    ...filled('p', facts.ownPlaces),
    ...filled('t', facts.titles),
    ...(facts.description !== '' && facts.description === descriptionOf(row)
      ? { d: STATED_BY_ROW }
      : filled('d', facts.description)),
    ...filled('h', facts.headings),
    ...h1In(facts.h1, row),
    ...(words > 0 && { w: words, s: [...simhash] }),
    ...filled('m', facts.marks),
    ...filled('a', facts.imagesWithoutAlt),
    ...filled('j', facts.badJsonLd),
    ...filled('ci', cutIds),
    ...filled('cl', cutLinks),
  };
}

function alternateOf({ metadata }: RowStatements, tag: string): string | undefined {
  return metadata?.[`hreflang:${tag.toLowerCase()}`];
}

function descriptionOf({ metadata }: RowStatements): string {
  return short(metadata?.['description'] ?? '', MAX_TEXT);
}

/** Returns the place of the first `h1` among the headings of the row; its text, if it is not among them. */
function h1In(h1: string, { headings = [] }: RowStatements): Stored {
  const place = h1 === '' ? -1 : headings.findIndex((heading) => short(heading, MAX_ANCHOR) === h1);
  return place === -1 ? filled('h1', h1) : { h1: place };
}

function filled(name: string, value: string | number): Stored {
  return value === 0 || value === '' ? {} : { [name]: value };
}

export function encodeLink({ to, kind, line, fragment, anchor, rel }: LinkFact): JsonValue[] {
  const all: JsonValue[] = [to, kind, line, fragment, anchor, rel];
  while (all.length > 2 && (all[all.length - 1] === '' || all[all.length - 1] === 0)) all.pop();
  return all;
}

/** Reads the facts in a field of a row. Undefined: there are no facts, or they have another version. @param row of the page */
export function decodeFacts(stored: JsonValue | undefined, row: RowStatements = {}): PageFacts | undefined {
  if (typeof stored !== 'object' || stored === null || Array.isArray(stored)) return undefined;
  const from = stored as Stored;
  return from.v === FACTS_VERSION ? factsFrom(from, row) : undefined;
}

/** Reads facts. What is missing is 0 or empty. */
function factsFrom(from: Stored, row: RowStatements): PageFacts {
  return {
    ids: idsOf(from.ids),
    links: lists(from.l).map(([to, kind, line, fragment, anchor, rel]) => ({
      to: typeof to === 'string' ? to : numberOf(to),
      kind: numberOf(kind),
      line: numberOf(line),
      fragment: textOf(fragment),
      anchor: textOf(anchor),
      rel: numberOf(rel),
    })),
    ownPlaces: numberOf(from.p),
    bad: lists(from.b).map(([raw, flaw, kind, line, anchor, to]) => ({
      raw: textOf(raw),
      flaw: numberOf(flaw),
      kind: numberOf(kind),
      line: numberOf(line),
      anchor: textOf(anchor),
      to: numberOf(to),
    })),
    canonicals: lists(from.c).map(([url, place]) => ({
      url: url === STATED_BY_ROW ? (row.canonical ?? '') : textOf(url),
      place: textOf(place) as Place,
    })),
    alternates: lists(from.x).map(([tag, url, place]) => ({
      tag: textOf(tag),
      url: url === STATED_BY_ROW ? (alternateOf(row, textOf(tag)) ?? '') : textOf(url),
      place: textOf(place) as Place,
    })),
    titles: numberOf(from.t),
    description: from.d === STATED_BY_ROW ? descriptionOf(row) : textOf(from.d),
    headings: textOf(from.h),
    h1: typeof from.h1 === 'number' ? short(row.headings?.[from.h1] ?? '', MAX_ANCHOR) : textOf(from.h1),
    words: numberOf(from.w),
    simhash: simhashOf(from.s),
    marks: numberOf(from.m),
    imagesWithoutAlt: numberOf(from.a),
    badJsonLd: numberOf(from.j),
    cutIds: numberOf(from.ci),
    cutLinks: numberOf(from.cl),
  };
}

function simhashOf(stored: JsonValue | undefined): PageFacts['simhash'] {
  const [high, low] = Array.isArray(stored) ? (stored as readonly JsonValue[]) : [];
  return [numberOf(high), numberOf(low)];
}

function idsOf(stored: JsonValue | undefined): Uint32Array {
  const bytes = Uint8Array.from(Buffer.from(textOf(stored), 'base64'));
  return new Uint32Array(bytes.buffer, 0, Math.floor(bytes.length / 4));
}

function lists(value: JsonValue | undefined): readonly (readonly JsonValue[])[] {
  return Array.isArray(value) ? value.filter((each): each is JsonValue[] => Array.isArray(each)) : [];
}

function numberOf(value: JsonValue | undefined): number {
  return typeof value === 'number' ? value : 0;
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
