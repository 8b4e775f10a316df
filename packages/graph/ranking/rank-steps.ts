import type { Field, KeyRange, PageChange, PageRow, RankedLevel } from '../../../webtable/index.js';
import { chunked } from '../../../webtable/index.js';
import { createRowCounts, type Count, type CrawlContext, type Tracker } from '../../jobs/index.js';
import { buildGraphs, type BuiltGraphs, type LinkGraph } from '../build-graphs.js';
import { readKeys } from '../key-file.js';
import { LINK_FIELDS, linkRowOf, type LinkRow } from '../link-rows.js';
import { createNumberFile, type NumberFile } from '../number-file.js';
import { pageRank } from './page-rank.js';
import { NONE } from '../resolve.js';

/** A row with its last ranks; plain data, fit for JSON. */
export interface RankedRow extends LinkRow {
  readonly rank?: number;
  readonly hostRank?: number;
}

/** The ranks that a row is to have, one for each level; null for a row that is no node. Plain data, fit for JSON. */
export interface RowRanks {
  readonly key: string;
  readonly ranks: readonly (number | null)[];
}

const FIELD = { page: 'rank', host: 'hostRank' } as const satisfies Record<RankedLevel, Field>;
const COUNTERS = {
  page: { nodes: 'pages', edges: 'edges', rounds: 'rounds' },
  host: { nodes: 'hosts', edges: 'host_edges', rounds: 'host_rounds' },
} as const;
const CHUNK = 500;

/** The rows with what ranks are computed from. @param ranges absent: all */
export async function* rankedRows(
  { tables: { pages } }: CrawlContext,
  { fail }: Tracker,
  ranges?: readonly KeyRange[],
): AsyncGenerator<RankedRow> {
  for await (const row of pages.scan({ fields: [...LINK_FIELDS, 'rank', 'hostRank'], ...(ranges && { ranges }) })) {
    if (row.damaged) fail('damaged');
    const { rank, hostRank } = row;
    yield { ...linkRowOf(row), ...(rank !== undefined && { rank }), ...(hostRank !== undefined && { hostRank }) };
  }
}

/**
 * Computes the ranks of all rows.
 * @param rows in the order of their keys
 * @param folder for what is made meanwhile, until the ranks are read
 * @returns the ranks of each row, in that order
 * @throws CrawlError STORE_FULL, BAD_OUTPUT
 */
export async function solveRanks(
  crawl: CrawlContext,
  levels: readonly RankedLevel[],
  rows: AsyncIterable<RankedRow>,
  folder: string,
  tracker: Tracker,
  signal: AbortSignal | undefined,
): Promise<AsyncGenerator<RowRanks>> {
  await using lastRanks = await createNumberFile(`${folder}/last-ranks`);
  const built = await buildGraphs(notingRanks(rows, levels, lastRanks), {
    folder,
    levels,
    count: tracker.count,
    onRow: () => tracker.done(),
    ...(signal && { signal }),
  });
  await lastRanks.end();
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

/** The rows; the ranks that they have go to a file, one for each level. */
async function* notingRanks(
  rows: AsyncIterable<RankedRow>,
  levels: readonly RankedLevel[],
  lastRanks: NumberFile,
): AsyncGenerator<LinkRow> {
  for await (const row of rows) {
    for (const level of levels) {
      const wait = lastRanks.add(row[FIELD[level]] ?? NaN);
      if (wait) await wait;
    }
    yield row;
  }
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

/** The last rank of each node; a new one has what all would have alike. Undefined where none has one. */
async function startOf(
  { adjacency: { nodes }, ofRow }: LinkGraph,
  lastRanks: NumberFile,
  offset: number,
  step: number,
): Promise<Float64Array | undefined> {
  const start = new Float64Array(nodes).fill(NaN);
  let at = 0;
  let found = 0;
  for await (const piece of lastRanks.read()) {
    for (const value of piece) {
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

/** Makes the sum 1. What is 1 but for rounding stays, to the bit. */
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
    onRound: () => count(counters.rounds),
  });
  if (start) count('warm');
  if (adjacency.nodes > 0 && !(change < settings.tolerance)) count('not_converged');
  return ranks;
}

/**
 * Writes the ranks that are not there yet, in the order of the rows, and notes before that they are being written: until the end of the
 * run they are of two. Of a row that is no node the rank is removed.
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
    const counts = createRowCounts(count);
    await crawl.tables.changeRows([...wanted.keys()], ['status', ...fields], crawl.clock(), (found, of) =>
      found.map((each, i) => changeOf(each, wanted.get(of[i]!)!, counts.of(of[i]!))),
    );
    counts.end();
  }

  function changeOf(
    found: PageRow<'rank' | 'hostRank'> | undefined,
    wanted: readonly (number | null)[],
    countRow: Count,
  ): PageChange | undefined {
    // It was removed meanwhile, or what it holds cannot be read.
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
