import {
  type Field,
  type PageChange,
  type PageRow,
  type RankedLevel,
  changeOrSend,
  chunked,
  type Count,
  type CrawlContext,
  type Tracker,
} from '../../core/index.js';
import { buildGraphs, type BuiltGraphs, type LinkGraph } from '../build-graphs.js';
import { LINK_FIELDS, linkRowOf, type LinkRow } from '../link-rows.js';
import { pageRank } from './page-rank.js';
import { NONE, createDiskFile, readChunks, readKeys } from '../../scan/index.js';

interface RankedRow extends LinkRow {
  readonly rank?: number;
  readonly hostRank?: number;
}

/** The new ranks of a row, one for each level; null for a row that is not a node. */
interface RowRanks {
  readonly key: string;
  readonly ranks: readonly (number | null)[];
}

const FIELD = { page: 'rank', host: 'hostRank' } as const satisfies Record<RankedLevel, Field>;
const COUNTERS = {
  page: { nodes: 'pages', edges: 'edges', iterations: 'iterations' },
  host: { nodes: 'hosts', edges: 'host_edges', iterations: 'host_iterations' },
} as const;
const CHUNK = 500;

export async function* rankedRows({ tables: { pages } }: CrawlContext, { fail }: Tracker): AsyncGenerator<RankedRow> {
  for await (const row of pages.scan({ fields: [...LINK_FIELDS, 'rank', 'hostRank'] })) {
    if (row.damaged) fail('damaged');
    const { rank, hostRank } = row;
    yield { ...linkRowOf(row), ...(rank !== undefined && { rank }), ...(hostRank !== undefined && { hostRank }) };
  }
}

/**
 * @param rows in key order
 * @param folder for temporary files; they are needed until the result is read
 * @returns the ranks of each row, in the same order
 */
export async function solveRanks(
  crawl: CrawlContext,
  levels: readonly RankedLevel[],
  rows: AsyncIterable<RankedRow>,
  folder: string,
  tracker: Tracker,
  signal: AbortSignal | undefined,
): Promise<AsyncGenerator<RowRanks>> {
  const lastRanks = `${folder}/last-ranks`;
  const built = await buildGraphs(notingRanks(rows, levels, lastRanks), {
    folder,
    levels,
    count: tracker.count,
    onRow: () => tracker.done(),
    ...(signal && { signal }),
  });
  const { runs } = crawl.tables;
  const ranks: Float64Array[] = [];
  for (const [i, graph] of built.graphs.entries()) {
    const start = (await runs.isRankWriting(levels[i]!))
      ? undefined
      : await startOf(graph, lastRanks, i, levels.length);
    if (start && crawl.settings.rank.danglingMass === 'spread') normalise(start);
    ranks.push(await rankGraph(crawl, graph, start, tracker, signal));
  }
  return ranksOfRows(built, ranks);
}

/** Yields the rows unchanged. It writes the present ranks of each row, one for each level, to a file of 64-bit numbers. */
async function* notingRanks(
  rows: AsyncIterable<RankedRow>,
  levels: readonly RankedLevel[],
  path: string,
): AsyncGenerator<LinkRow> {
  await using file = await createDiskFile(path);
  const number = Buffer.alloc(8);
  for await (const row of rows) {
    for (const level of levels) {
      number.writeDoubleLE(row[FIELD[level]] ?? NaN);
      const wait = file.append(number);
      if (wait) await wait;
    }
    yield row;
  }
  await file.flush();
}

async function* ranksOfRows({ keys, graphs }: BuiltGraphs, ranks: readonly Float64Array[]): AsyncGenerator<RowRanks> {
  let row = 0;
  for await (const group of readKeys(keys)) {
    for (const key of group) {
      yield { key, ranks: graphs.map(({ ofRow }, i) => (ofRow[row] === NONE ? null : ranks[i]![ofRow[row]!]!)) };
      row += 1;
    }
  }
}

/**
 * Returns the last rank of each node. A new node gets the rank that each node would have if all ranks were equal. Undefined: no node has a
 * rank.
 */
async function startOf(
  { adjacency: { nodes }, ofRow }: LinkGraph,
  lastRanks: string,
  offset: number,
  step: number,
): Promise<Float64Array | undefined> {
  const start = new Float64Array(nodes).fill(NaN);
  let at = 0;
  let found = 0;
  for await (const chunk of readChunks(lastRanks)) {
    for (const value of new Float64Array(chunk.buffer, 0, chunk.length / 8)) {
      const node = at % step === offset ? ofRow[Math.floor(at / step)]! : NONE;
      at += 1;
      if (node === NONE || !(value >= 0 && value <= 1) || !Number.isNaN(start[node])) continue;
      start[node] = value;
      found += 1;
    }
  }
  if (found === 0) return undefined;
  for (let node = 0; node < nodes; node++) if (Number.isNaN(start[node])) start[node] = 1 / nodes;
  return start;
}

/** Scales ranks so that their sum is 1. Ranks whose sum is already 1, apart from rounding, stay exactly the same. */
function normalise(ranks: Float64Array): void {
  let sum = 0;
  for (const value of ranks) sum += value;
  if (sum > 0 && Math.abs(sum - 1) > 1e-9) for (let node = 0; node < ranks.length; node++) ranks[node]! /= sum;
}

async function rankGraph(
  crawl: CrawlContext,
  { level, adjacency, hostStarts }: LinkGraph,
  start: Float64Array | undefined,
  { count }: Tracker,
  signal: AbortSignal | undefined,
): Promise<Float64Array> {
  const { internalLinkWeight, ...settings } = crawl.settings.rank;
  const counters = COUNTERS[level === 'page' ? 'page' : 'host'];
  count(counters.nodes, adjacency.nodes);
  count(counters.edges, adjacency.edges);
  const { ranks, change } = await pageRank(adjacency, {
    ...settings,
    ...(start && { start }),
    ...(level === 'page' && { internal: { weight: internalLinkWeight, hostStarts } }),
    ...(signal && { signal }),
    onIteration: () => count(counters.iterations),
  });
  if (start) count('warm');
  if (adjacency.nodes > 0 && !(change < settings.tolerance)) count('not_converged');
  return ranks;
}

/**
 * Writes the ranks that have changed, in the order of the rows. First it stores a note that ranks are being written, because until the end
 * some rows have ranks of the last run, and others of this run. The rank of a row that is not a node is removed.
 */
export async function writeRanks(
  crawl: CrawlContext,
  levels: readonly RankedLevel[],
  rows: AsyncIterable<RowRanks>,
  { count }: Tracker,
  signal: AbortSignal | undefined,
): Promise<void> {
  const fields = levels.map((level) => FIELD[level]);
  for (const level of levels) await crawl.tables.runs.putRankWriting(level, true);
  for await (const chunk of chunked(rows, CHUNK)) {
    signal?.throwIfAborted();
    const wanted = new Map(chunk.map(({ key, ranks }) => [key, ranks]));
    await changeOrSend(crawl, 'rank', [...wanted.keys()], ['status', ...fields], (found, of) =>
      found.map((each, i) => changeOf(each, wanted.get(of[i]!)!, count)),
    );
  }

  function changeOf(
    found: PageRow<'rank' | 'hostRank'> | undefined,
    wanted: readonly (number | null)[],
    countRow: Count,
  ): PageChange | undefined {
    // The row was removed since the scan, or cannot be read.
    if (!found || found.damaged) return undefined;
    const ranks = new Map(fields.map((field, i) => [field, wanted[i] ?? undefined]));
    const differ = fields.filter((field) => found[field] !== ranks.get(field));
    if (differ.length === 0) return undefined;
    const set = differ.filter((field) => ranks.get(field) !== undefined);
    countRow('written');
    if (set.length < differ.length) countRow('unranked');
    return {
      key: found.key,
      set: Object.fromEntries(set.map((field) => [field, ranks.get(field)])),
      unset: differ.filter((field) => !set.includes(field)),
    };
  }
}
