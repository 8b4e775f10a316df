import { DEFAULT_DEPTH } from '../statistics/prefix-node.js';
import {
  rejectRule,
  type Candidate,
  type CandidateFinder,
  type CreateFinder,
  type DomainFacts,
  type FinderRow,
} from './candidate.js';
import { mostRows } from './most-frequent.js';
import { MAX_CANDIDATES, addExample, isAsked } from './thresholds.js';

/** An open prefix of an origin: later rows may still be below it. */
interface OpenPrefix {
  readonly prefix: string;
  rows: number;
  fetched: number;
  isKept: boolean;
  below: Section[];
  readonly examples: string[];
}

interface Section {
  readonly origin: string;
  readonly prefix: string;
  readonly rows: number;
  readonly fetched: number;
  readonly examples: readonly string[];
}

interface Found extends Section {
  readonly host: string;
  /** Whether the host has only one scheme and port. If it has several, a page may exist under only one of them. */
  readonly isWhole: boolean;
}

/**
 * Finds sections of a host without relevant pages. The three conditions come from a study on crawling news: the domain has at least
 * `propose.minRelevant` relevant pages; the prefix has no relevant page; the prefix has more pages than the domain has relevant pages. Of
 * nested prefixes, only the shortest is returned. Rows arrive in key order. So memory holds only the prefixes of the present row, down to
 * the depth of prefix statistics, and at most twice {@link MAX_CANDIDATES} sections for each of these prefixes, for the host, and for the
 * domain.
 */
export const uselessPrefixes: CreateFinder = ({ propose: { minRelevant } }): CandidateFinder => {
  let found: Found[] = [];
  const open: OpenPrefix[] = [];
  let host = '';
  let origin = '';
  let origins = 0;
  let sections: Section[] = [];
  let relevant = 0;

  function close(): void {
    const { prefix, rows, fetched, isKept, below, examples } = open.pop()!;
    const above = open.at(-1);
    if (above) {
      above.rows += rows;
      above.fetched += fetched;
      above.isKept ||= isKept;
      for (const each of examples) addExample(above.examples, each);
    }
    // If this prefix is a section, the sections below it are part of it.
    const own =
      isKept || rows <= Math.max(minRelevant, relevant) ? below : [{ origin, prefix, rows, fetched, examples }];
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
        // The first open prefix is the whole origin, so it does not count for the depth.
        if (open.length > DEFAULT_DEPTH) break;
        open.push({ prefix, rows: 0, fetched: 0, isKept: false, below: [], examples: [] });
      }
      const last = open.at(-1)!;
      last.rows += 1;
      if (isAsked(row)) last.fetched += 1;
      if (row.isKept) last.isKept = true;
      if (row.relevant) relevant += 1;
      addExample(last.examples, row.url);
    },
    find(domain) {
      endHost();
      if (!domain.hasRelevant || domain.relevant < minRelevant) return [];
      const useless = found.filter(({ rows }) => rows > domain.relevant);
      return mostRows(useless, MAX_CANDIDATES).map((each) => toCandidate(each, domain));
    },
  };
};

/** Adds sections to a list. A list of twice the maximum length is cut to the maximum length: the sections with the most rows stay. */
function most<T extends { readonly rows: number }>(sections: T[], more: readonly T[]): T[] {
  sections.push(...more);
  return sections.length > 2 * MAX_CANDIDATES ? mostRows(sections, MAX_CANDIDATES) : sections;
}

function toCandidate(
  { host, origin, isWhole, prefix, rows, fetched, examples }: Found,
  { rows: domainRows, relevant: domainRelevant }: DomainFacts,
): Candidate {
  return {
    rule: rejectRule(host, { prefix: isWhole ? prefix : `${origin}${prefix}` }),
    reason: 'useless_prefix',
    evidence: { rows, fetched, relevant: 0, domainRows, domainRelevant, examples: [...examples] },
    rows,
  };
}

/** Returns the prefixes of a path with more than `longerThan` characters. A prefix ends with a `/` or the `?`. */
function* prefixesOf(path: string, longerThan: number): Generator<string> {
  const query = path.indexOf('?');
  const end = query < 0 ? path.length : query;
  for (let slash = path.indexOf('/', longerThan); slash >= 0 && slash < end; slash = path.indexOf('/', slash + 1)) {
    yield path.slice(0, slash + 1);
  }
  if (query >= longerThan && query >= 0) yield path.slice(0, query + 1);
}
