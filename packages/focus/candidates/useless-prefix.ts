import { DEFAULT_DEPTH } from '../statistics/prefix-node.js';
import type { Candidate, CandidateFinder, CreateFinder, DomainFacts, FinderRow } from './candidate.js';
import { mostRows } from './most-frequent.js';
import { MOST_FOUND, addExample, isAsked } from './thresholds.js';

/** A prefix of the rows of an origin that is open: rows below it are still to come. */
interface OpenPrefix {
  readonly prefix: string;
  rows: number;
  fetched: number;
  isKept: boolean;
  /** Those found below it. */
  below: Section[];
  readonly examples: string[];
}

/** A prefix that may be useless. */
interface Section {
  readonly origin: string;
  readonly prefix: string;
  readonly rows: number;
  readonly fetched: number;
  readonly examples: readonly string[];
}

interface Found extends Section {
  readonly host: string;
  /** The host has no other port or scheme: of one that has, one may hold what another does not. */
  readonly isWhole: boolean;
}

/**
 * Finds sections of a host that hold nothing useful, by the rule of a study on crawling news: the domain has so many useful pages
 * (`propose.minUseful`), the prefix has none, and it holds more pages than the domain has useful ones. Of prefixes within each other the
 * shortest one is found. Rows come in key order, so it holds only the prefixes that lead to the row at hand, as deep as statistics by prefix
 * go, and twice the {@link MOST_FOUND} for each of these, for the host, and for the domain.
 */
export const uselessPrefixes: CreateFinder = ({ propose: { minUseful } }): CandidateFinder => {
  let found: Found[] = [];
  let open: OpenPrefix[] = [];
  let host = '';
  let origin = '';
  /** Of the host at hand. */
  let origins = 0;
  let sections: Section[] = [];
  let fit = 0;

  function close(): void {
    const { prefix, rows, fetched, isKept, below, examples } = open.pop()!;
    const above = open.at(-1);
    if (above) {
      above.rows += rows;
      above.fetched += fetched;
      above.isKept ||= isKept;
      for (const each of examples) addExample(above.examples, each);
    }
    // It stands for all below it.
    const own = isKept || rows <= Math.max(minUseful, fit) ? below : [{ origin, prefix, rows, fetched, examples }];
    if (above) above.below = most(above.below, own);
    else sections = most(sections, own);
  }

  function endHost(): void {
    while (open.length > 0) close();
    const isWhole = origins <= 1;
    found = most(
      found,
      sections.map((section) => ({ ...section, host, isWhole })),
    );
    sections = [];
    origins = 0;
  }

  function begin(row: FinderRow): void {
    while (open.length > 0) close();
    if (row.host !== host) endHost();
    host = row.host;
    origin = row.origin;
    origins += 1;
  }

  return {
    add(row) {
      if (row.origin !== origin) begin(row);
      while (open.length > 0 && !row.path.startsWith(open.at(-1)!.prefix)) close();
      for (const prefix of prefixesOf(row.path, open.at(-1)?.prefix.length ?? 0)) {
        // The first one is the whole origin, which is no name of a path.
        if (open.length > DEFAULT_DEPTH) break;
        open.push({ prefix, rows: 0, fetched: 0, isKept: false, below: [], examples: [] });
      }
      const last = open.at(-1)!;
      last.rows += 1;
      if (isAsked(row)) last.fetched += 1;
      if (row.isKept) last.isKept = true;
      if (row.fit) fit += 1;
      addExample(last.examples, row.url);
    },
    find(domain) {
      endHost();
      if (!domain.hasUseful || domain.fit < minUseful) return [];
      const useless = found.filter(({ rows }) => rows > domain.fit);
      return mostRows(useless, MOST_FOUND).map((each) => toCandidate(each, domain));
    },
  };
};

/** Adds to a list, and cuts it when it has grown to twice what is kept of it. */
function most<T extends { readonly rows: number }>(sections: T[], further: readonly T[]): T[] {
  sections.push(...further);
  return sections.length > 2 * MOST_FOUND ? mostRows(sections, MOST_FOUND) : sections;
}

function toCandidate(
  { host, origin, isWhole, prefix, rows, fetched, examples }: Found,
  { rows: domainRows, fit: domainUseful }: DomainFacts,
): Candidate {
  return {
    rule: {
      kind: 'reject',
      origin: 'generated',
      scope: `host:${host}`,
      pattern: { prefix: isWhole ? prefix : `${origin}${prefix}` },
    },
    reason: 'useless_prefix',
    evidence: { rows, fetched, useful: 0, domainRows, domainUseful, examples: [...examples] },
    rows,
  };
}

/** The prefixes of a path that are longer than so many characters: it cut behind each `/`, and behind the `?`. */
function* prefixesOf(path: string, longerThan: number): Generator<string> {
  const query = path.indexOf('?');
  const end = query < 0 ? path.length : query;
  for (let slash = path.indexOf('/', longerThan); slash >= 0 && slash < end; slash = path.indexOf('/', slash + 1)) {
    yield path.slice(0, slash + 1);
  }
  if (query >= longerThan && query >= 0) yield path.slice(0, query + 1);
}
