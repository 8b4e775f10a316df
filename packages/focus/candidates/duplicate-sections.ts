import { tryParseUrl } from '../../url/index.js';
import { hashOf } from '../../util/index.js';
import type { Candidate, CreateFinder, DomainFacts, FinderRow } from './candidate.js';
import { createKeptTraits } from './kept-traits.js';
import { createMostFrequent } from './most-frequent.js';
import { createSample } from './sample.js';
import { LEAST_ROWS, MOST, MOST_FOUND, addExample, areAlike, shareOf } from './thresholds.js';
import { ANY_ORIGIN, literal, withoutQuery } from './url-parameters.js';

/** Pages of one document that are looked at; one with more is an error page, or an empty one, and says nothing. */
const MOST_COPIES = 8;
/** Documents that the pages of a section have at least, as a share: else it is few pages again and again. */
const DIFFERENT = 0.5;
/** Segments from the first on that may name a section. */
const DEPTH = 6;
/** Longer paths are not compared. */
const LONGEST = 500;
/** Pages of one domain that are compared; of more, half of the documents go. */
const COMPARED = 32_768;
/** Sections, and pairs of them, that are counted at the same time. */
const COUNTED = 4_096;

/** Where pages are: below a path of a host that ends with `/`, or on that host with a segment anywhere in the path. */
interface Place {
  readonly host: string;
  readonly kind: 'prefix' | 'segment';
  readonly name: string;
}

interface Page {
  readonly host: string;
  /** Path and query. */
  readonly path: string;
}

/** A page that was fetched. */
interface Copy extends Page {
  readonly url: string;
  /** The URL of the page that it was found to be a copy of. */
  readonly duplicateOf: string | undefined;
  /** Its place among all rows. */
  readonly at: number;
}

/** Pages of one place that are those of another, with the same path behind it. */
interface Pair {
  readonly from: Place;
  readonly to: Place;
  /** Pages of `from`. */
  rows: number;
  /** Different documents among them. */
  documents: number;
  lastDocument?: number;
  /** The last of the pages. */
  last: string;
  readonly examples: string[];
  /** The first of the pages of `to` among all rows. */
  first: number;
}

/**
 * Finds sections whose pages are those of another section: versions to print, mirrors, `/amp/`. Of a section nearly all pages that were
 * fetched must be the document of the other that has the same path behind the prefix, or without the segment. What is not to be cut stays;
 * else the section with more pages, the one with the shorter name, or the one that was there first. Hosts that differ by `www.` only
 * are for the rule on that.
 *
 * It goes by the signatures of the hot family, and by what `dedup` found. Memory is bounded by the domain: 32,768 pages are compared, of the
 * same documents wherever they are.
 */
export const duplicateSections: CreateFinder = () => {
  const kept = createKeptTraits();
  const counts = createMostFrequent<{ readonly trait: string; rows: number }>(COUNTED);
  const sample = createSample();
  const copies = new Map<number, Copy[]>();
  let held = 0;
  let at = 0;

  function addCopy({ host, path, url, duplicateOf }: FinderRow, document: number): void {
    const known = copies.get(document) ?? [];
    if (known.length > MOST_COPIES) return;
    if (known.length === 0) copies.set(document, known);
    known.push({ host, path, url, duplicateOf, at });
    held += 1;
    while (held > COMPARED) {
      sample.halve();
      for (const [each, pages] of copies) {
        if (sample.has(each)) continue;
        held -= pages.length;
        copies.delete(each);
      }
    }
  }

  return {
    add(row) {
      at += 1;
      const path = withoutQuery(row.path);
      if (row.isKept) for (const place of placesOf(row.host, path, Infinity)) kept.add(traitOf(place));
      else {
        for (const place of placesOf(row.host, path, DEPTH)) {
          const trait = traitOf(place);
          counts.get(trait, () => ({ trait, rows: 0 })).rows += 1;
        }
      }
      if (row.signature === undefined || row.path.length > LONGEST) return;
      if (row.status !== 'fetched' && row.status !== 'notmodified') return;
      const document = hashOf(row.signature);
      if (sample.has(document)) addCopy(row, document);
    },
    find(domain) {
      for (const [document, pages] of copies) if (pages.length > MOST_COPIES) copies.delete(document);
      const rowsOf = new Map(Array.from(counts.values(), ({ trait, rows }) => [trait, rows]));
      const pairs = pairsOf(copies).filter(({ documents, rows }) => documents >= DIFFERENT * rows);
      const totals = countPages(
        copies,
        pairs.flatMap(({ from, to }) => [from, to]),
      );
      const found = pairs.filter(({ from, rows }) => {
        const trait = traitOf(from);
        return areAlike(rows, totals.get(trait)!) && !kept.has(trait) && (rowsOf.get(trait) ?? 0) >= LEAST_ROWS;
      });
      const isKept = (place: Place): boolean => kept.has(traitOf(place));
      const sizeOf = (place: Place): number => rowsOf.get(traitOf(place)) ?? 0;
      return choose(found, isKept, sizeOf)
        .slice(0, MOST_FOUND)
        .map((pair) => toCandidate(pair, totals.get(traitOf(pair.from))!, sizeOf(pair.from), domain));
    },
  };
};

const traitOf = ({ host, kind, name }: Place): string => `${kind} ${host} ${name}`;

/** The sections that a path is in. @param depth for the prefixes; segments have none */
function* placesOf(host: string, path: string, depth: number): Generator<Place> {
  const segments = new Set<string>();
  let from = 0;
  for (let i = 0; ; i++) {
    const slash = path.indexOf('/', from);
    const segment = slash < 0 ? path.slice(from) : path.slice(from, slash);
    if (segment !== '' && !segments.has(segment)) {
      segments.add(segment);
      yield { host, kind: 'segment', name: segment };
    }
    if (slash < 0) return;
    if (i <= depth) yield { host, kind: 'prefix', name: path.slice(0, slash + 1) };
    from = slash + 1;
  }
}

type Compared = Pick<Copy, 'host' | 'path' | 'url' | 'at'>;

/** In which ways the URLs of one document differ, be it by signature or by `dedup`; each counted. */
function pairsOf(copies: ReadonlyMap<number, readonly Copy[]>): Pair[] {
  const pairs = createMostFrequent<Pair>(COUNTED);
  let document = 0;

  function add(one: Compared, other: Compared): void {
    for (const [from, to] of differences(one, other)) {
      const key = `${traitOf(from)} ${traitOf(to)}`;
      const pair = pairs.get(key, () => ({ from, to, rows: 0, documents: 0, last: '', examples: [], first: Infinity }));
      pair.first = Math.min(pair.first, other.at);
      if (pair.last === one.url) continue;
      pair.last = one.url;
      pair.rows += 1;
      if (pair.lastDocument !== document) pair.documents += 1;
      pair.lastDocument = document;
      for (const { url } of [one, other]) addExample(pair.examples, url);
    }
  }

  for (const pages of copies.values()) {
    document += 1;
    for (const one of pages) {
      const named = one.duplicateOf === undefined ? undefined : tryParseUrl(one.duplicateOf);
      if (named) {
        const same = { host: named.hostname, path: named.pathname + named.search, url: named.href, at: one.at };
        add(one, same);
        add(same, one);
      } else for (const other of pages) if (one !== other && other.duplicateOf === undefined) add(one, other);
    }
  }
  return [...pairs.values()];
}

/** The places by which the URLs of two pages differ, where the rest of the path is the same. */
function* differences(one: Compared, other: Compared): Generator<readonly [from: Place, to: Place]> {
  if (queryOf(one.path) !== queryOf(other.path)) return;
  const isOneHost = one.host === other.host;
  if (!isOneHost && withoutWww(one.host) === withoutWww(other.host)) return;
  const [a, b] = [segmentsOf(one.path), segmentsOf(other.path)];
  let shared = 0;
  while (isOneHost && shared < Math.min(a.length, b.length) && a[shared] === b[shared]) shared += 1;
  let behind = 0;
  while (behind < Math.min(a.length, b.length) - shared && a.at(-1 - behind) === b.at(-1 - behind)) behind += 1;
  const [own, others] = [a.slice(0, a.length - behind), b.slice(0, b.length - behind)];
  const [mine, theirs] = [own.length - shared, others.length - shared];
  if (isOneHost && mine === 1 && theirs === 0) {
    yield [
      { host: one.host, kind: 'segment', name: own[shared]! },
      { host: other.host, kind: 'prefix', name: '/' },
    ];
  }
  // A page is no section; and a section that the other is within cannot go without it.
  if ((behind === 0 && a.length + b.length > 0) || (isOneHost && mine === 0)) return;
  const placeOf = (host: string, segments: readonly string[]): Place => ({
    host,
    kind: 'prefix',
    name: segments.length === 0 ? '/' : `/${segments.join('/')}/`,
  });
  yield [placeOf(one.host, own), placeOf(other.host, others)];
}

const queryOf = (path: string): string => path.slice(withoutQuery(path).length);

const withoutWww = (host: string): string => (host.startsWith('www.') ? host.slice('www.'.length) : host);

/** Without empty ones at the end. */
function segmentsOf(path: string): string[] {
  const inside = withoutQuery(path).slice(1).replace(/\/+$/, '');
  return inside === '' ? [] : inside.split('/');
}

/** How many of the pages that are compared are in each of some places, by trait. */
function countPages(copies: ReadonlyMap<number, readonly Copy[]>, places: readonly Place[]): Map<string, number> {
  const totals = new Map(places.map((place) => [traitOf(place), 0]));
  for (const pages of copies.values()) {
    for (const { host, path } of pages) {
      for (const place of placesOf(host, withoutQuery(path), DEPTH)) {
        const trait = traitOf(place);
        const total = totals.get(trait);
        if (total !== undefined) totals.set(trait, total + 1);
      }
    }
  }
  return totals;
}

/**
 * Of sections that are copies of each other those to cut, so that of each document one section stays: the best sections are kept first.
 * @param pairs each by itself good to be cut
 */
function choose(pairs: readonly Pair[], isKept: (place: Place) => boolean, sizeOf: (place: Place) => number): Pair[] {
  const sorted = [...pairs].sort(
    (a, b) =>
      Number(isKept(b.to)) - Number(isKept(a.to)) ||
      sizeOf(b.to) - sizeOf(a.to) ||
      a.to.name.length - b.to.name.length ||
      a.first - b.first ||
      sizeOf(b.from) - sizeOf(a.from) ||
      (traitOf(a.from) < traitOf(b.from) ? -1 : 1),
  );
  const cut: Pair[] = [];
  const stay: Place[] = [];
  for (const pair of sorted) {
    const { from, to } = pair;
    if (cut.some((each) => isWithin(from, each.from) || isWithin(to, each.from))) continue;
    if (stay.some((place) => isWithin(place, from))) continue;
    cut.push(pair);
    stay.push(to);
  }
  // A segment that is nearly always the first one is said best by a prefix; of others the prefixes are many.
  const isSame = (one: Pair, other: Pair): boolean =>
    one.from.host === other.from.host && one.from.kind === 'segment' && other.from.name.endsWith(`/${one.from.name}/`);
  return cut.filter((pair) =>
    pair.from.kind === 'segment'
      ? !cut.some((other) => isSame(pair, other) && sizeOf(other.from) >= MOST * sizeOf(pair.from))
      : !cut.some((other) => isSame(other, pair) && sizeOf(pair.from) < MOST * sizeOf(other.from)),
  );
}

function isWithin(place: Place, section: Place): boolean {
  if (place.host !== section.host || place.kind !== section.kind) return false;
  return section.kind === 'segment' ? place.name === section.name : place.name.startsWith(section.name);
}

function toCandidate(
  { from, to, rows: alike, documents, examples }: Pair,
  compared: number,
  rows: number,
  domain: DomainFacts,
): Candidate {
  const { host, kind, name } = from;
  const regex = `${ANY_ORIGIN}/(?:[^?]*/)?${literal(name)}(?:[/?]|$)`;
  return {
    rule: {
      kind: 'reject',
      origin: 'generated',
      scope: `host:${host}`,
      pattern: kind === 'prefix' ? { prefix: name } : { regex },
    },
    reason: 'duplicate_section',
    evidence: {
      because: 'its pages are those of another section',
      section: kind === 'prefix' ? name : `…/${name}`,
      sameAs: kind === 'segment' ? `the same without /${name}` : to.host === host ? to.name : `${to.host}${to.name}`,
      rows,
      compared,
      alike: Math.min(alike, compared),
      alikeShare: shareOf(Math.min(alike, compared), compared)!,
      documents,
      domainRows: domain.rows,
      examples: [...examples],
    },
    rows,
    isOfCopies: true,
  };
}
