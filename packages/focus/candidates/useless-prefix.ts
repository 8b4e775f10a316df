import type { Candidate, CandidateFinder, CreateFinder, FinderRow } from './candidate.js';

/** A prefix of the rows of an origin that is open: rows below it are still to come. */
interface OpenPrefix {
  readonly prefix: string;
  rows: number;
  fetched: number;
  isKept: boolean;
  /** Where those that are closed below it begin in the list of those found. */
  readonly from: number;
  readonly examples: string[];
}

interface Found {
  readonly host: string;
  readonly origin: string;
  readonly prefix: string;
  readonly rows: number;
  readonly fetched: number;
  readonly examples: readonly string[];
}

/** URLs that are shown of a prefix. */
const EXAMPLES = 3;

/**
 * Finds sections of a host that hold nothing useful, by the rule of a study on crawling news: the domain has so many useful pages
 * (`propose.minUseful`), the prefix has none, and it holds more pages than the domain has useful ones. Of prefixes within each other the
 * shortest one is found. Rows come in key order, so it keeps only the prefixes that lead to the row at hand, and those found, which are
 * fewer than one for `propose.minUseful` rows.
 */
export const uselessPrefixes: CreateFinder = ({ propose: { minUseful } }): CandidateFinder => {
  const found: Found[] = [];
  const origins = new Map<string, Set<string>>();
  let open: OpenPrefix[] = [];
  let current: Pick<FinderRow, 'host' | 'origin'> = { host: '', origin: '' };
  let fit = 0;

  function close(): void {
    const { prefix, rows, fetched, isKept, from, examples } = open.pop()!;
    const above = open.at(-1);
    if (above) {
      above.rows += rows;
      above.fetched += fetched;
      above.isKept ||= isKept;
      for (const each of examples) if (above.examples.length < EXAMPLES) above.examples.push(each);
    }
    if (isKept || rows <= Math.max(minUseful, fit)) return;
    // It stands for all below it.
    found.length = from;
    found.push({ ...current, prefix, rows, fetched, examples });
  }

  function begin({ host, origin }: FinderRow): void {
    while (open.length > 0) close();
    current = { host, origin };
    const known = origins.get(host);
    if (known) known.add(origin);
    else origins.set(host, new Set([origin]));
  }

  return {
    add(row) {
      if (row.origin !== current.origin) begin(row);
      while (open.length > 0 && !row.path.startsWith(open.at(-1)!.prefix)) close();
      for (const prefix of prefixesOf(row.path, open.at(-1)?.prefix.length ?? 0)) {
        open.push({ prefix, rows: 0, fetched: 0, isKept: false, from: found.length, examples: [] });
      }
      const last = open.at(-1)!;
      last.rows += 1;
      if (row.status !== undefined && row.status !== 'unfetched') last.fetched += 1;
      if (row.isKept) last.isKept = true;
      if (row.fit) fit += 1;
      if (last.examples.length < EXAMPLES) last.examples.push(row.url);
    },
    find(domain) {
      while (open.length > 0) close();
      open = [];
      if (!domain.hasUseful || domain.fit < minUseful) return [];
      return found.filter(({ rows }) => rows > domain.fit).map((each): Candidate => {
        const { host, origin, prefix, rows, fetched, examples } = each;
        // Of a host with several ports or schemes one may hold what another does not.
        const isWhole = origins.get(host)!.size > 1;
        return {
          rule: {
            kind: 'reject',
            origin: 'generated',
            scope: `host:${host}`,
            pattern: { prefix: isWhole ? `${origin}${prefix}` : prefix },
          },
          reason: 'useless_prefix',
          evidence: { rows, fetched, useful: 0, domainRows: domain.rows, domainUseful: domain.fit, examples: [...examples] },
          rows,
        };
      });
    },
  };
};

/** The prefixes of a path that are longer than so many characters: it cut behind each `/`, and behind the `?`. */
function* prefixesOf(path: string, longerThan: number): Generator<string> {
  const query = path.indexOf('?');
  const end = query < 0 ? path.length : query;
  for (let slash = path.indexOf('/', longerThan); slash >= 0 && slash < end; slash = path.indexOf('/', slash + 1)) {
    yield path.slice(0, slash + 1);
  }
  if (query >= longerThan && query >= 0) yield path.slice(0, query + 1);
}
