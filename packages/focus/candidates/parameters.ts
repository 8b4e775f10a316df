import { hashOf } from '../../util/index.js';
import { calendarParameter } from './calendars.js';
import type { Candidate, CreateFinder, DomainFacts, FinderRow } from './candidate.js';
import { facet } from './facets.js';
import { createKeptTraits } from './kept-traits.js';
import { createMostFrequent, mostRows } from './most-frequent.js';
import { createDistinct, createSample, type Distinct } from './sample.js';
import { looksLikeId, session } from './sessions.js';
import { LEAST_ROWS, MOST_FOUND, TRACKED, addExample, isAsked } from './thresholds.js';
import {
  keyOfParameter,
  parameterKeysOf,
  parametersOf,
  withoutQuery,
  type GivenParameter,
  type Parameter,
} from './url-parameters.js';

/** What is known of a parameter that no row has which is not to be cut. Of very many rows, pages are compared in a sample. */
export interface ParameterFacts {
  readonly host: string;
  readonly parameter: Parameter;
  /** Rows that have it. */
  readonly rows: number;
  /** Of these, those that were asked for, whatever the answer. */
  readonly fetched: number;
  /** Different paths that have it, without their queries. */
  readonly paths: number;
  /** Different values. */
  readonly values: number;
  /** Rows whose value is a number or a date. */
  readonly numbers: number;
  /** Rows whose value nobody would write by hand. */
  readonly ids: number;
  /** Rows that were looked at for what follows. */
  readonly sampled: number;
  /** Different URLs that these are without the parameter. */
  readonly rests: number;
  /** Of the rows looked at, those whose URL without the parameter is in the table. */
  readonly knownWithout: number;
  /** Of the rows looked at, those that were fetched, and whose URL without the parameter was fetched. */
  readonly compared: number;
  /** Of these, those that are the same document. */
  readonly alike: number;
  /** Of the rows looked at, those that were fetched after another with the same URL but for the value. */
  readonly comparedValues: number;
  /** Of these, those that are the same document. */
  readonly alikeValues: number;
  readonly examples: readonly string[];
}

/** Says what a parameter is worth; undefined for one that is not of its kind. */
export type JudgeParameter = (facts: ParameterFacts, domain: DomainFacts, minUseful: number) => Candidate | undefined;

/** The first that knows a parameter has it. */
const JUDGES: readonly JudgeParameter[] = [session, calendarParameter, facet];

/** Pages and variants of pages of one host that are kept to be compared; of more some 100 bytes each, half go. */
const COMPARED = 65_536;
const NUMBER = /^(?:\d{1,10}|\d{4}-\d\d?(?:-\d\d?)?)$/;
const NOT_FETCHED = -1;

/** Rows with the same URL but for the value of one parameter. */
interface Variants {
  rows: number;
  /** The document of the first that was fetched. */
  document: number;
  fetched: number;
  alike: number;
  /** It was found to be a copy of the page without the parameter. */
  isCopy: boolean;
  /** Of those that are not like the first the ones that were. */
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
 * Finds parameters that make many URLs of few useful pages, or of none: ids of sessions, numbers that go on for ever, orders and
 * filters of lists. They are one finder, as they look at the same: for each parameter of a host how often it is there, and what
 * pages are with it, with another value, and without.
 *
 * It reads the hot family only. Memory is bounded by the host: 512 parameters, and what 65,536 pages are compared by.
 */
export const uselessParameters: CreateFinder = ({ propose: { minUseful } }) => {
  const kept = createKeptTraits();
  let host: string | undefined;
  let table = createTable();
  let found: ParameterFacts[] = [];

  function endHost(): void {
    if (host === undefined) return;
    for (const facts of table.facts(host))
      if (!kept.has(traitOf(host, keyOfParameter(facts.parameter)))) found.push(facts);
    if (found.length > 2 * MOST_FOUND) found = mostRows(found, MOST_FOUND);
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
      return mostRows(found, MOST_FOUND).flatMap((facts) => {
        for (const judge of JUDGES) {
          const candidate = judge(facts, domain, minUseful);
          if (candidate) return [candidate];
        }
        return [];
      });
    },
  };
};

const traitOf = (host: string, key: string): string => `${host} ${key}`;

/** What is known of the parameters of one host. */
function createTable() {
  const sample = createSample();
  /** The document of each page by its origin, path and query. */
  const pages = new Map<number, number>();
  let kept = 0;
  const tracked = createMostFrequent<Tracked>(TRACKED, ({ variants }) => (kept -= variants.size));

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
    // One that was found to be a copy of the page without the parameter is the same document, though not to the byte.
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
      // A parameter of a row that is not to be cut is of no interest.
      if (!row.isKept) for (const each of parametersOf(row.path)) addParameter(row, each, document);
      while (kept > COMPARED) halveSample();
    },
    facts(host: string): ParameterFacts[] {
      const enough = [...tracked.values()].filter(({ rows }) => rows >= LEAST_ROWS);
      return mostRows(enough, MOST_FOUND).map((each) => factsOf(host, each));
    },
  };
}

/** What a page was when it was fetched: its signature as a number; else NOT_FETCHED. */
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
