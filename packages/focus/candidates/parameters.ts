import {
  keyOfParameter,
  looksLikeId,
  parameterKeysOf,
  parametersOf,
  type GivenParameter,
  type Parameter,
} from '../../core/index.js';
import { hashOf } from '../../util/index.js';
import { calendarParameter } from './calendars.js';
import type { Candidate, CreateFinder, DomainFacts, FinderRow } from './candidate.js';
import { facet } from './facets.js';
import { createKeptTraits } from './kept-traits.js';
import { createMostFrequent, mostRows } from './most-frequent.js';
import { createDistinct, createSample, type Distinct } from './sample.js';
import { session } from './sessions.js';
import { MIN_REJECTED_ROWS, MAX_CANDIDATES, MAX_TRACKED, addExample, isAsked } from './thresholds.js';
import { withoutQuery } from './url-parameters.js';

/** Figures of a parameter. No row that must stay has this parameter. With very many rows, only a sample of the pages is compared. */
export interface ParameterFacts {
  readonly host: string;
  readonly parameter: Parameter;
  readonly rows: number;
  /** Number of rows with the parameter that were requested, with any result. */
  readonly fetched: number;
  /** Number of different paths with the parameter, without their queries. */
  readonly paths: number;
  readonly values: number;
  /** Number of rows whose value is a number or a date. */
  readonly numbers: number;
  /** Number of rows with a value that only a program would write. */
  readonly ids: number;
  /** Number of rows in the sample. The following figures are from the sample. */
  readonly sampled: number;
  /** Number of different URLs in the sample after the parameter is removed. */
  readonly rests: number;
  /** Number of rows of the sample whose URL without the parameter is in the table. */
  readonly knownWithout: number;
  /** Number of fetched rows of the sample whose URL without the parameter was fetched too. */
  readonly compared: number;
  /** Number of `compared` rows with the same document as the URL without the parameter. */
  readonly alike: number;
  /** Number of rows of the sample that were fetched after another row whose URL differs only in the value. */
  readonly comparedValues: number;
  /** Number of `comparedValues` rows with the same document as that other row. */
  readonly alikeValues: number;
  readonly examples: readonly string[];
}

/**
 * Decides whether a parameter is of one kind, such as a session id, and returns the candidate. Undefined: the parameter is not of this
 * kind.
 */
export type JudgeParameter = (facts: ParameterFacts, domain: DomainFacts, minRelevant: number) => Candidate | undefined;

/** The first judge that recognises a parameter decides. */
const JUDGES: readonly JudgeParameter[] = [session, calendarParameter, facet];

/**
 * Maximum number of pages, and of variants of pages, to store for one host. A page or variant takes some 100 bytes. If there are more,
 * half are dropped.
 */
const COMPARED = 65_536;
const NUMBER = /^(?:\d{1,10}|\d{4}-\d\d?(?:-\d\d?)?)$/;
const NOT_FETCHED = -1;

/** Rows whose URLs differ only in the value of one parameter. */
interface Variants {
  rows: number;
  /** The document of the first fetched row. */
  document: number;
  fetched: number;
  alike: number;
  /** Whether dedup found the first fetched row to be a copy of the page without the parameter. */
  isCopy: boolean;
  /**
   * Number of fetched rows that have another document than the first row, but that dedup found to be copies of the page without the
   * parameter.
   */
  copies: number;
}

interface Tracked {
  readonly parameter: Parameter;
  rows: number;
  fetched: number;
  numbers: number;
  ids: number;
  readonly paths: Distinct;
  readonly values: Distinct;
  readonly variants: Map<number, Variants>;
  readonly examples: string[];
}

/**
 * Finds parameters that make many URLs with few or no relevant pages: session ids, endless numbers, orders and filters of lists. One
 * finder does all this, because all judges need the same data: the frequency of each parameter of a host, and the pages with the
 * parameter, with another value, and without the parameter.
 *
 * The finder reads only the hot family. Its memory is bounded: for each host it stores 512 parameters, and data to compare 65,536 pages.
 */
export const uselessParameters: CreateFinder = ({ propose: { minRelevant } }) => {
  const kept = createKeptTraits();
  let host: string | undefined;
  let table = createTable();
  let found: ParameterFacts[] = [];

  function endHost(): void {
    if (host === undefined) return;
    for (const facts of table.facts(host))
      if (!kept.has(traitOf(host, keyOfParameter(facts.parameter)))) found.push(facts);
    if (found.length > 2 * MAX_CANDIDATES) found = mostRows(found, MAX_CANDIDATES);
    table = createTable();
  }

  return {
    add(row) {
      if (row.host !== host) endHost();
      host = row.host;
      if (row.isKept) for (const key of parameterKeysOf(row.path)) kept.add(traitOf(row.host, key));
      table.add(row);
    },
    find(domain) {
      endHost();
      host = undefined;
      return mostRows(found, MAX_CANDIDATES).flatMap((facts) => {
        for (const judge of JUDGES) {
          const candidate = judge(facts, domain, minRelevant);
          if (candidate) return [candidate];
        }
        return [];
      });
    },
  };
};

const traitOf = (host: string, key: string): string => `${host} ${key}`;

function createTable() {
  const sample = createSample();
  /** The document of each page. Keys are hashes of origin, path and query. */
  const pages = new Map<number, number>();
  let kept = 0;
  const tracked = createMostFrequent<Tracked>(MAX_TRACKED, ({ variants }) => (kept -= variants.size));

  function halveSample(): void {
    sample.halve();
    for (const map of [pages, ...Array.from(tracked.values(), ({ variants }) => variants)]) {
      for (const hash of map.keys()) if (!sample.has(hash)) map.delete(hash);
    }
    kept = pages.size;
    for (const { variants } of tracked.values()) kept += variants.size;
  }

  function addVariant({ variants }: Tracked, rest: number, document: number, isCopy: boolean): void {
    let known = variants.get(rest);
    if (!known) {
      variants.set(rest, (known = { rows: 0, document: NOT_FETCHED, fetched: 0, alike: 0, copies: 0, isCopy: false }));
      kept += 1;
    }
    known.rows += 1;
    if (document === NOT_FETCHED) return;
    if (known.document === NOT_FETCHED) {
      known.document = document;
      known.isCopy = isCopy;
    }
    known.fetched += 1;
    if (known.document === document) known.alike += 1;
    else if (isCopy) known.copies += 1;
  }

  function addParameter(row: FinderRow, given: GivenParameter, document: number): void {
    const known = tracked.get(keyOfParameter(given), () => track(given));
    known.rows += 1;
    if (isAsked(row)) known.fetched += 1;
    if (NUMBER.test(given.value)) known.numbers += 1;
    else if (looksLikeId(given.value)) known.ids += 1;
    known.paths.add(hashOf(withoutQuery(row.path)));
    known.values.add(hashOf(given.value));
    addExample(known.examples, row.url);
    const rest = hashOf(`${row.origin}${given.rest}`);
    if (!sample.has(rest)) return;
    // If dedup found the page to be a copy of the page without the parameter, both pages count as one document, even if some bytes differ.
    const isCopy = row.duplicateOf !== undefined && hashOf(row.duplicateOf) === rest;
    addVariant(known, rest, document, isCopy);
  }

  function factsOf(host: string, each: Tracked): ParameterFacts {
    const { parameter, rows, fetched, numbers, ids, paths, values, variants, examples } = each;
    const counts = { sampled: 0, knownWithout: 0, compared: 0, alike: 0, comparedValues: 0, alikeValues: 0 };
    for (const [rest, variant] of variants) {
      counts.sampled += variant.rows;
      if (variant.fetched > 1) {
        counts.comparedValues += variant.fetched - 1;
        counts.alikeValues += variant.alike - 1;
      }
      const page = pages.get(rest);
      if (page === undefined) continue;
      counts.knownWithout += variant.rows;
      if (page === NOT_FETCHED) continue;
      counts.compared += variant.fetched;
      counts.alike += variant.copies + (page === variant.document || variant.isCopy ? variant.alike : 0);
    }
    const rests = variants.size;
    return {
      host,
      parameter,
      rows,
      fetched,
      paths: paths.count,
      values: values.count,
      numbers,
      ids,
      ...counts,
      rests,
      examples,
    };
  }

  return {
    add(row: FinderRow): void {
      const document = documentOf(row);
      const page = hashOf(row.url);
      if (sample.has(page)) {
        if (!pages.has(page)) kept += 1;
        pages.set(page, document);
      }
      // Parameters of rows that must stay cannot become candidates.
      if (!row.isKept) for (const each of parametersOf(row.path)) addParameter(row, each, document);
      while (kept > COMPARED) halveSample();
    },
    facts(host: string): ParameterFacts[] {
      const enough = [...tracked.values()].filter(({ rows }) => rows >= MIN_REJECTED_ROWS);
      return mostRows(enough, MAX_CANDIDATES).map((each) => factsOf(host, each));
    },
  };
}

/** Returns the document of a page as a number: from the signature if the page was fetched, else {@link NOT_FETCHED}. */
function documentOf({ signature, status }: FinderRow): number {
  if (signature === undefined) return NOT_FETCHED;
  return status === 'fetched' || status === 'notmodified' ? hashOf(signature) : NOT_FETCHED;
}

function track({ place, name }: Parameter): Tracked {
  return {
    parameter: { place, name },
    rows: 0,
    fetched: 0,
    numbers: 0,
    ids: 0,
    paths: createDistinct(),
    values: createDistinct(),
    variants: new Map(),
    examples: [],
  };
}
