import { hashOf } from '../../util/index.js';
import type { CreateFinder } from './candidate.js';
import { createKeptTraits } from './kept-traits.js';
import { createMostFrequent, mostRows } from './most-frequent.js';
import { createSample } from './sample.js';
import { LEAST_ROWS, MOST_FOUND, TRACKED, addExample, isAsked, isEnoughFetched, shareOf } from './thresholds.js';
import { ANY_ORIGIN, literal, withoutQuery } from './url-parameters.js';

/** Rows that are there with the same segments in another order, as a share: names of folders nearly never change places. */
const PERMUTED = 0.25;
/** Segments before those that change places. */
const DEPTH = 2;
/** Characters of a path that are looked at. */
const LONGEST = 1_000;
/** Sets of segments of one host that are kept to be compared; of more, half go. */
const COMPARED = 65_536;

/** Pages below a path that have two segments more at least: `/tag/red/big/`. */
interface Section {
  readonly host: string;
  readonly prefix: string;
  rows: number;
  fetched: number;
  /** By the segments in one order. */
  readonly sets: Map<number, SegmentSet>;
  readonly examples: string[];
}

interface SegmentSet {
  rows: number;
  /** The segment that is first in the first of them. */
  readonly first: number;
  /** Another is first in another one: what is below the first one only does not change places with it. */
  isPermuted: boolean;
}

type FoundSection = Omit<Section, 'sets'> & { readonly compared: number; readonly permuted: number };

/**
 * Finds sections where filters are segments of the path, in any order: `/tag/red/big/` and `/tag/big/red/`. What is offered to be cut is
 * where two or more of them come together: a page for each one alone stays. It needs a domain with enough useful pages, and none there.
 */
export const pathFacets: CreateFinder = ({ propose: { minUseful } }) => {
  const kept = createKeptTraits();
  let host: string | undefined;
  let held = 0;
  const createSections = () => createMostFrequent<Section>(TRACKED, ({ sets }) => (held -= sets.size));
  let sections = createSections();
  let sample = createSample();
  let found: FoundSection[] = [];

  function endHost(): void {
    const all = [...sections.values()].filter((each) => each.rows >= LEAST_ROWS && !kept.has(traitOf(each)));
    const judged = all.map(judge).filter(({ compared, permuted }) => permuted >= Math.max(1, PERMUTED * compared));
    found = mostRows([...found, ...judged], MOST_FOUND);
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
          if (path.length <= LONGEST && !segments.every((segment) => /^\d+$/.test(segment))) compare(section, segments);
        }
      }
      while (held > COMPARED) {
        sample.halve();
        for (const { sets } of sections.values())
          for (const hash of sets.keys()) if (!sample.has(hash)) sets.delete(hash);
        held = [...sections.values()].reduce((sum, { sets }) => sum + sets.size, 0);
      }
    },
    find(domain) {
      endHost();
      const worth = found.filter(({ fetched }) => isEnoughFetched(fetched, domain, minUseful));
      const cut = new Set(worth.map(traitOf));
      const isWithin = ({ host, prefix }: FoundSection): boolean =>
        [...prefix.matchAll(/\//g)].some(
          ({ index }) => index + 1 < prefix.length && cut.has(traitOf({ host, prefix: prefix.slice(0, index + 1) })),
        );
      return worth
        .filter((section) => !isWithin(section))
        .map(({ host, prefix, rows, fetched, compared, permuted, examples }) => ({
          rule: {
            kind: 'reject',
            origin: 'generated',
            scope: `host:${host}`,
            pattern: { regex: `${ANY_ORIGIN}${literal(prefix)}[^/?]+/[^/?]` },
          },
          reason: 'facet',
          evidence: {
            because: 'the same segments of the path in many orders, no page of them useful',
            section: `${prefix}…/…`,
            rows,
            fetched,
            compared,
            permuted,
            permutedShare: shareOf(permuted, compared)!,
            useful: 0,
            domainUseful: domain.fit,
            domainRows: domain.rows,
            examples: [...examples],
          },
          rows,
        }));
    },
  };
};

const traitOf = ({ host, prefix }: Pick<Section, 'host' | 'prefix'>): string => `${host} ${prefix}`;

/** For each path that a page is below by two segments or more: these segments. */
function* sectionsOf(path: string): Generator<{ prefix: string; segments: readonly string[] }> {
  let slash = 0;
  for (let depth = 0; depth <= DEPTH && slash >= 0; depth++) {
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
