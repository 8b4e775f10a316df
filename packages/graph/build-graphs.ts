import { writeAdjacency, type Adjacency } from './adjacency.js';
import type { LinkRow } from './link-rows.js';
import type { Level } from './levels.js';
import { groupNodes, pageNodes, type Nodes } from './nodes.js';
import { KIND, resolveRows } from './resolve.js';
import { scanRows, type ScannedRows, type GraphInput } from './scan-rows.js';
import { NONE, createPairSorter } from '../scan/index.js';

/** A graph of links: its nodes, and its adjacency file. */
export interface LinkGraph extends Nodes {
  readonly level: Level;
  readonly adjacency: Adjacency;
}

/** The graphs of some rows. */
export interface BuiltGraphs {
  /** The file of all row keys, in order. The position of a key in this file is the index into `ofRow`. */
  readonly keys: string;
  /** The first row of each host. */
  readonly hostStarts: Uint32Array;
  /** The graphs, in the order of the requested levels. */
  readonly graphs: readonly LinkGraph[];
}

/** Options of the build. */
export interface BuildOptions extends Omit<GraphInput, 'raw' | 'memory'> {
  readonly levels: readonly Level[];
  /**
   * true: redirects, and pages that name a canonical page, are nodes of their own. A link to such a page is an edge to its node. Default:
   * false.
   */
  readonly raw?: boolean;
  /** Bytes of memory for each sort at a time. Default: 64 MiB. */
  readonly memory?: number;
  /** Called from time to time after the scan, with the number of links that were processed. */
  readonly onLinks?: (done: number) => void;
}

const WITHIN = { page: 'links_to_itself', host: 'links_within_host', domain: 'links_within_domain' } as const;
const MEMORY = 64 * 2 ** 20;
const LINKS_PER_REPORT = 2 ** 20;

/**
 * Builds the graphs of one or more levels from one scan of rows. No key stays in memory: each row takes 5 bytes, and 4 more for each level,
 * in addition to the memory of the sorts. All files are in `folder`; the caller must remove them.
 * @throws CrawlError STORE_FULL; BAD_OUTPUT, also for too many rows, nodes or edges
 */
export async function buildGraphs(
  rows: AsyncIterable<LinkRow> | Iterable<LinkRow>,
  { levels, raw = false, memory = MEMORY, onLinks, ...options }: BuildOptions,
): Promise<BuiltGraphs> {
  const { folder, count, signal } = options;
  const scanned = await scanRows(rows, { ...options, raw, memory });
  const resolved = await resolve(scanned, options);
  const nodes: Nodes[] = [];
  for (const level of levels) {
    nodes.push(level === 'page' ? pageNodes(scanned, resolved) : await groupNodes(level, scanned, resolved, folder));
  }
  const sorters = nodes.map(() => createPairSorter(folder, memory));
  const dropped = { unknown: 0, gone: 0, ofAlternates: 0, own: nodes.map(() => 0) };
  let done = 0;
  await scanned.links.join(scanned.keys, (source, target) => {
    if (++done % LINKS_PER_REPORT === 0) {
      onLinks?.(done);
      signal?.throwIfAborted();
    }
    const counted = target === NONE ? NONE : resolved[target]!;
    if (resolved[source] !== source) dropped.ofAlternates += 1;
    else if (target === NONE) dropped.unknown += 1;
    else if (counted === NONE) dropped.gone += 1;
    else return addTo(source, counted);
    return undefined;
  });

  /** Adds a link to the graph of each level. Returns a promise only when a sorter is full. */
  function addTo(source: number, target: number): Promise<void> | undefined {
    let wait: Promise<void> | undefined;
    for (let i = 0; i < nodes.length; i++) {
      const { ofRow } = nodes[i]!;
      const from = ofRow[source]!;
      const to = ofRow[target]!;
      if (from === to) {
        dropped.own[i]! += 1;
        continue;
      }
      const added = sorters[i]!.add(from, to);
      if (added) wait = wait ? Promise.all([wait, added]).then(() => undefined) : added;
    }
    return wait;
  }

  count('links_unknown', dropped.unknown);
  count('links_to_gone', dropped.gone);
  count('links_of_alternates', dropped.ofAlternates);
  const graphs: LinkGraph[] = [];
  for (const [i, level] of levels.entries()) {
    count(WITHIN[level], dropped.own[i]);
    const adjacency = await writeAdjacency(`${folder}/${level}-edges`, {
      nodes: nodes[i]!.count,
      pairs: sorters[i]!.sorted(),
      signal,
      onRepeated: (repeated) => count('links_repeated', level === levels[0] ? repeated : 0),
    });
    graphs.push({ level, ...nodes[i]!, adjacency });
  }
  return { keys: scanned.keys, hostStarts: scanned.hostStarts, graphs };
}

async function resolve(
  { aliases, keys, kinds }: ScannedRows,
  { count }: Pick<BuildOptions, 'count'>,
): Promise<Uint32Array> {
  const next = await aliases.numbers(keys, kinds.length);
  const resolved = resolveRows(kinds, next);
  const counts = { gone: 0, redirects: 0, redirects_lost: 0, alternates: 0 };
  for (let row = 0; row < kinds.length; row++) {
    if (kinds[row] === KIND.gone) counts.gone += 1;
    else if (kinds[row] === KIND.redirect) counts[resolved[row] === NONE ? 'redirects_lost' : 'redirects'] += 1;
    else if (resolved[row] !== row) counts.alternates += 1;
  }
  for (const [name, n] of Object.entries(counts)) count(name as keyof typeof counts, n);
  return resolved;
}
