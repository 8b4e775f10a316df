import { tryParseUrl } from '../../core/index.js';
import { hashOf } from '../../util/index.js';
import { rejectRule, type Candidate, type CreateFinder, type DomainFacts, type FinderRow } from './candidate.js';
import { createKeptTraits } from './kept-traits.js';
import { createMostFrequent } from './most-frequent.js';
import { createSample } from './sample.js';
import { MIN_REJECTED_ROWS, NEARLY_ALL_SHARE, MAX_CANDIDATES, addExample, areAlike, shareOf } from './thresholds.js';
import { differences, isWithin, placesOf, traitOf, type Located, type Place } from './section-places.js';
import { ANY_ORIGIN, literal, withoutQuery } from './url-parameters.js';

/** A document with more pages is an error page or an empty page, so it is ignored. */
const MAX_COPIES = 8;
/** A section with a smaller share of different documents repeats a few pages. */
const MIN_DISTINCT_SHARE = 0.5;
const MAX_SECTION_DEPTH = 6;
const MAX_PATH_CHARACTERS = 500;
/** If a domain has more pages, half of the documents are dropped. */
const MAX_COMPARED_PAGES = 32_768;
/** Maximum number of sections, and of pairs of sections, that are counted at the same time. */
const MAX_COUNTED = 4_096;

interface Copy extends Located {
  readonly url: string;
  readonly duplicateOf: string | undefined;
  /** The number of the row, in the order of rows. */
  readonly at: number;
}

/** Two sections with the same pages. Each page in `from` has the same document as the page in `to` with the same rest of the path. */
interface Pair {
  readonly from: Place;
  readonly to: Place;
  /** Number of pages in `from`. */
  rows: number;
  /** Number of different documents among the pages in `from`. */
  documents: number;
  lastDocument?: number;
  last: string;
  readonly examples: string[];
  /** The number of the first row of a page in `to`. */
  first: number;
}

/**
 * Finds sections that duplicate another section: print versions, mirrors, `/amp/`. Nearly all fetched pages of such a section have the
 * same document as a page of the other section. The paths of two such pages are equal after the prefix of the section, or without the
 * segment of the section. Of two sections, the section with pages that must stay is kept. If neither has such pages, the section with
 * more pages is kept, then the section with the shorter name, then the first section. Hosts that differ only by `www.` are left to
 * `wwwTwins`.
 *
 * The finder compares signatures of the hot family, and uses the results of `dedup`. Its memory is bounded: for each domain it compares a
 * sample of at most 32,768 pages.
 */
export const duplicateSections: CreateFinder = () => {
  const kept = createKeptTraits();
  const counts = createMostFrequent<{ readonly trait: string; rows: number }>(MAX_COUNTED);
  const sample = createSample();
  const copies = new Map<number, Copy[]>();
  let held = 0;
  let at = 0;

  function addCopy({ host, path, url, duplicateOf }: FinderRow, document: number): void {
    const known = copies.get(document) ?? [];
    if (known.length > MAX_COPIES) return;
    if (known.length === 0) copies.set(document, known);
    known.push({ host, path, url, duplicateOf, at });
    held += 1;
    while (held > MAX_COMPARED_PAGES) {
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
        for (const place of placesOf(row.host, path, MAX_SECTION_DEPTH)) {
          const trait = traitOf(place);
          counts.get(trait, () => ({ trait, rows: 0 })).rows += 1;
        }
      }
      if (row.signature === undefined || row.path.length > MAX_PATH_CHARACTERS) return;
      if (row.status !== 'fetched' && row.status !== 'notmodified') return;
      const document = hashOf(row.signature);
      if (sample.has(document)) addCopy(row, document);
    },
    find(domain) {
      for (const [document, pages] of copies) if (pages.length > MAX_COPIES) copies.delete(document);
      const rowsOf = new Map(Array.from(counts.values(), ({ trait, rows }) => [trait, rows]));
      const pairs = pairsOf(copies).filter(({ documents, rows }) => documents >= MIN_DISTINCT_SHARE * rows);
      const totals = countPages(
        copies,
        pairs.flatMap(({ from, to }) => [from, to]),
      );
      const found = pairs.filter(({ from, rows }) => {
        const trait = traitOf(from);
        return areAlike(rows, totals.get(trait)!) && !kept.has(trait) && (rowsOf.get(trait) ?? 0) >= MIN_REJECTED_ROWS;
      });
      const isKept = (place: Place): boolean => kept.has(traitOf(place));
      const sizeOf = (place: Place): number => rowsOf.get(traitOf(place)) ?? 0;
      return choose(found, isKept, sizeOf)
        .slice(0, MAX_CANDIDATES)
        .map((pair) => toCandidate(pair, totals.get(traitOf(pair.from))!, sizeOf(pair.from), domain));
    },
  };
};

type Compared = Pick<Copy, 'host' | 'path' | 'url' | 'at'>;

/**
 * Counts the differences between the URLs of pages with the same document. Pages have the same document if their signatures are equal, or
 * if `dedup` says so.
 */
function pairsOf(copies: ReadonlyMap<number, readonly Copy[]>): Pair[] {
  const pairs = createMostFrequent<Pair>(MAX_COUNTED);
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

function countPages(copies: ReadonlyMap<number, readonly Copy[]>, places: readonly Place[]): Map<string, number> {
  const totals = new Map(places.map((place) => [traitOf(place), 0]));
  for (const pages of copies.values()) {
    for (const { host, path } of pages) {
      for (const place of placesOf(host, withoutQuery(path), MAX_SECTION_DEPTH)) {
        const trait = traitOf(place);
        const total = totals.get(trait);
        if (total !== undefined) totals.set(trait, total + 1);
      }
    }
  }
  return totals;
}

/**
 * Selects the sections to reject among sections that duplicate each other. Each document stays in one section. The pairs whose `to` is
 * the best section are decided first.
 * @param pairs pairs whose `from` could be rejected
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
  const rejected: Pair[] = [];
  const stay: Place[] = [];
  for (const pair of sorted) {
    const { from, to } = pair;
    if (rejected.some((each) => isWithin(from, each.from) || isWithin(to, each.from))) continue;
    if (stay.some((place) => isWithin(place, from))) continue;
    rejected.push(pair);
    stay.push(to);
  }
  // A rule for a prefix and a rule for a segment may reject the same pages. The prefix is better if it has nearly all pages of the segment.
  const isSame = (one: Pair, other: Pair): boolean =>
    one.from.host === other.from.host && one.from.kind === 'segment' && other.from.name.endsWith(`/${one.from.name}/`);
  return rejected.filter((pair) =>
    pair.from.kind === 'segment'
      ? !rejected.some((other) => isSame(pair, other) && sizeOf(other.from) >= NEARLY_ALL_SHARE * sizeOf(pair.from))
      : !rejected.some((other) => isSame(other, pair) && sizeOf(pair.from) < NEARLY_ALL_SHARE * sizeOf(other.from)),
  );
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
    rule: rejectRule(host, kind === 'prefix' ? { prefix: name } : { regex }),
    reason: 'duplicate_section',
    evidence: {
      because: 'its pages are the same as in another section',
      section: kind === 'prefix' ? name : `…/${name}`,
      sameAs:
        kind === 'segment' ? `the same path without /${name}` : to.host === host ? to.name : `${to.host}${to.name}`,
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
