import { hashOf } from '../../util/index.js';
import { rejectRule, type CreateFinder } from './candidate.js';
import { createKeptTraits } from './kept-traits.js';
import { createMostFrequent, mostRows } from './most-frequent.js';
import { createSample } from './sample.js';
import {
  MIN_REJECTED_ROWS,
  MAX_CANDIDATES,
  MAX_TRACKED,
  addExample,
  isAsked,
  becauseOf,
  isWorthRejecting,
  shareOf,
} from './thresholds.js';
import { ANY_ORIGIN, literal, withoutQuery } from './url-parameters.js';

/** Minimum share of rows whose segments also occur in another order. Names of folders hardly ever change places. */
const MIN_PERMUTED_SHARE = 0.25;
const MAX_SEGMENTS_BEFORE_FILTERS = 2;
const MAX_COMPARED_CHARACTERS = 1_000;
/** If a host has more sets of segments, half are dropped. */
const MAX_COMPARED_SETS = 65_536;

/** The pages at least two segments below a path, such as `/tag/red/big/` below `/tag/`. */
interface Section {
  readonly host: string;
  readonly prefix: string;
  rows: number;
  fetched: number;
  readonly sets: Map<number, SegmentSet>;
  readonly examples: string[];
}

interface SegmentSet {
  rows: number;
  /** The first segment in the first row of the set. */
  readonly first: number;
  /** Whether another row of the set begins with another segment. Otherwise the first segment never changes its place. */
  isPermuted: boolean;
}

type FoundSection = Omit<Section, 'sets'> & { readonly compared: number; readonly permuted: number };

/**
 * Finds sections whose filters are path segments in any order: `/tag/red/big/` and `/tag/big/red/`. A candidate rejects pages with two or
 * more filters. Pages with a single filter stay. The domain must have enough relevant pages, and the section must have no relevant page.
 */
export const pathFacets: CreateFinder = ({ propose: { minRelevant } }) => {
  const kept = createKeptTraits();
  let host: string | undefined;
  let held = 0;
  const createSections = () => createMostFrequent<Section>(MAX_TRACKED, ({ sets }) => (held -= sets.size));
  let sections = createSections();
  let sample = createSample();
  let found: FoundSection[] = [];

  function endHost(): void {
    const all = [...sections.values()].filter((each) => each.rows >= MIN_REJECTED_ROWS && !kept.has(traitOf(each)));
    const judged = all
      .map(judge)
      .filter(({ compared, permuted }) => permuted >= Math.max(1, MIN_PERMUTED_SHARE * compared));
    found = mostRows([...found, ...judged], MAX_CANDIDATES);
    sections = createSections();
    sample = createSample();
    held = 0;
  }

  function compare({ sets }: Section, segments: readonly string[]): void {
    const hash = hashOf([...segments].sort().join('/'));
    if (!sample.has(hash)) return;
    const first = hashOf(segments[0]!);
    const set = sets.get(hash);
    if (set) {
      set.rows += 1;
      set.isPermuted ||= set.first !== first;
    } else {
      sets.set(hash, { rows: 1, first, isPermuted: false });
      held += 1;
    }
  }

  return {
    add(row) {
      if (row.host !== host) endHost();
      host = row.host;
      const path = withoutQuery(row.path);
      for (const { prefix, segments } of sectionsOf(path)) {
        if (row.isKept) kept.add(traitOf({ host, prefix }));
        else {
          const section = sections.get(prefix, () => ({
            host: row.host,
            prefix,
            rows: 0,
            fetched: 0,
            sets: new Map(),
            examples: [],
          }));
          section.rows += 1;
          if (isAsked(row)) section.fetched += 1;
          addExample(section.examples, row.url);
          if (path.length <= MAX_COMPARED_CHARACTERS && !segments.every((segment) => /^\d+$/.test(segment)))
            compare(section, segments);
        }
      }
      while (held > MAX_COMPARED_SETS) {
        sample.halve();
        for (const { sets } of sections.values())
          for (const hash of sets.keys()) if (!sample.has(hash)) sets.delete(hash);
        held = [...sections.values()].reduce((sum, { sets }) => sum + sets.size, 0);
      }
    },
    find(domain) {
      endHost();
      const worth = found.filter((section) => isWorthRejecting(section, domain, minRelevant));
      const rejected = new Set(worth.map(traitOf));
      const isWithin = ({ host, prefix }: FoundSection): boolean =>
        [...prefix.matchAll(/\//g)].some(
          ({ index }) =>
            index + 1 < prefix.length && rejected.has(traitOf({ host, prefix: prefix.slice(0, index + 1) })),
        );
      return worth
        .filter((section) => !isWithin(section))
        .map(({ host, prefix, rows, fetched, compared, permuted, examples }) => ({
          rule: rejectRule(host, { regex: `${ANY_ORIGIN}${literal(prefix)}[^/?]+/[^/?]` }),
          reason: 'facet',
          evidence: {
            because: becauseOf('the same segments of the path in many orders', domain),
            section: `${prefix}…/…`,
            rows,
            fetched,
            compared,
            permuted,
            permutedShare: shareOf(permuted, compared)!,
            relevant: 0,
            domainRelevant: domain.relevant,
            domainRows: domain.rows,
            examples: [...examples],
          },
          rows,
        }));
    },
  };
};

const traitOf = ({ host, prefix }: Pick<Section, 'host' | 'prefix'>): string => `${host} ${prefix}`;

/** Returns each path that is at least two segments above the page, with the segments between them. */
function* sectionsOf(path: string): Generator<{ prefix: string; segments: readonly string[] }> {
  let slash = 0;
  for (let depth = 0; depth <= MAX_SEGMENTS_BEFORE_FILTERS && slash >= 0; depth++) {
    const next = path.indexOf('/', slash + 1);
    const after = path[next + 1];
    if (next > slash + 1 && after !== undefined && after !== '/') {
      yield {
        prefix: path.slice(0, slash + 1),
        segments: path
          .slice(slash + 1)
          .replace(/\/$/, '')
          .split('/'),
      };
    }
    slash = next;
  }
}

function judge({ sets, ...section }: Section): FoundSection {
  let [compared, permuted] = [0, 0];
  for (const { rows, isPermuted } of sets.values()) {
    compared += rows;
    if (isPermuted) permuted += rows;
  }
  return { ...section, compared, permuted };
}
