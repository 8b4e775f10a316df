import { tmpdir } from 'node:os';
import { CrawlError, safeText } from '../errors/index.js';
import type { Field, PageChange, PageRow, RankedLevel } from '../../webtable/index.js';
import {
  createRowCounts,
  createTracker,
  type Count,
  type CrawlContext,
  type JobOptions,
  type Report,
  type Tracker,
} from '../jobs/index.js';
import { buildGraphs, type BuiltGraphs, type LinkGraph } from './build-graphs.js';
import { readKeys } from './key-file.js';
import { LINK_FIELDS, linkRowOf, type LinkRow } from './link-rows.js';
import { createNumberFile, type NumberFile } from './number-file.js';
import { pageRank } from './page-rank.js';
import { NONE } from './resolve.js';
import { withWorkFolder } from './sort/index.js';

/** What {@link rank} takes. */
export interface RankOptions extends JobOptions {
  /** What to rank. Default: `both`. */
  readonly level?: 'page' | 'host' | 'both';
  /** Where the graph is made, for as long as it is needed: 30 bytes for each link. Default: the folder of the system for such files. */
  readonly folder?: string;
}

const RANK_LEVELS: readonly unknown[] = ['page', 'host', 'both'];
const FIELD = { page: 'rank', host: 'hostRank' } as const satisfies Record<RankedLevel, Field>;
const COUNTERS = {
  page: { nodes: 'pages', edges: 'edges', rounds: 'rounds' },
  host: { nodes: 'hosts', edges: 'host_edges', rounds: 'host_rounds' },
} as const;
const CHUNK = 500;

/**
 * Computes PageRank over the links between pages, over those between hosts, or both, and writes it to the rows, by the settings
 * `rank.*`. Redirects and canonicals are resolved: a link to one counts for its target. Of links between hosts only
 * those to another one count, each pair of hosts once.
 *
 * It begins at the last ranks where there are any, which takes fewer rounds to the same fixed point; where these are close
 * enough it changes nothing. It may be killed at any moment and run again; a run after one that was killed while it wrote ranks of a level
 * begins that level anew. So the ranks are those of a run that nothing disturbed: to the bit where that began anew too, else
 * within what `rank.tolerance` allows. Rows that change meanwhile keep their changes.
 * Counters: see `COUNTERS`.
 * @throws CrawlError USAGE for a level that is none; STORE_FULL, BAD_OUTPUT where the graph finds no room
 */
export async function rank(crawl: CrawlContext, options: RankOptions = {}): Promise<Report> {
  const { level = 'both', folder = tmpdir(), signal } = options;
  if (!RANK_LEVELS.includes(level)) {
    throw new CrawlError(
      'USAGE',
      `expected a level of ${RANK_LEVELS.join(', ')}, found ${safeText(String(level), 80)}`,
    );
  }
  const tracker = createTracker(crawl, 'rank', options);
  const levels: readonly RankedLevel[] = level === 'both' ? ['page', 'host'] : [level];
  return crawl.tables.exclusive('rank', async () => {
    try {
      await withWorkFolder(folder, (work) => rankLevels(crawl, levels, work, tracker, signal));
    } catch (error) {
      if (!signal?.aborted || error !== signal.reason) throw error;
    }
    return tracker.report();
  });
}

async function rankLevels(
  crawl: CrawlContext,
  levels: readonly RankedLevel[],
  folder: string,
  tracker: Tracker,
  signal: AbortSignal | undefined,
): Promise<void> {
  await using lastRanks = await createNumberFile(`${folder}/last-ranks`);
  const built = await buildGraphs(rowsOf(crawl, levels, lastRanks, tracker), {
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
  for (const level of levels) await runs.putRankWriting(level, true);
  await writeRanks(crawl, built, ranks, tracker, signal);
  for (const level of levels) await runs.putRankWriting(level, false);
}

/** The rows; the ranks that they have go to a file, one for each level. */
async function* rowsOf(
  { tables: { pages } }: CrawlContext,
  levels: readonly RankedLevel[],
  lastRanks: NumberFile,
  { fail }: Tracker,
): AsyncGenerator<LinkRow> {
  for await (const row of pages.scan({ fields: [...LINK_FIELDS, 'rank', 'hostRank'] })) {
    if (row.damaged) fail('damaged');
    for (const level of levels) {
      const wait = lastRanks.add(row[FIELD[level]] ?? NaN);
      if (wait) await wait;
    }
    yield linkRowOf(row);
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

/** Writes the ranks that are not there yet, in the order of the rows. Of a row that is no node the rank is removed. */
async function writeRanks(
  crawl: CrawlContext,
  { keys, graphs }: BuiltGraphs,
  ranks: readonly Float64Array[],
  { count }: Tracker,
  signal: AbortSignal | undefined,
): Promise<void> {
  const fields = graphs.map(({ level }) => FIELD[level === 'page' ? 'page' : 'host']);
  let row = 0;
  for await (const group of readKeys(keys)) {
    for (let at = 0; at < group.length; at += CHUNK) {
      signal?.throwIfAborted();
      const chunk = group.slice(at, at + CHUNK);
      const first = row;
      const wanted = new Map(chunk.map((key, i) => [key, ranksOf(first + i)]));
      const counts = createRowCounts(count);
      await crawl.tables.changeRows(chunk, ['status', ...fields], crawl.clock(), (found, of) =>
        found.map((each, i) => changeOf(each, wanted.get(of[i]!)!, counts.of(of[i]!))),
      );
      counts.end();
      row += chunk.length;
    }
  }

  function ranksOf(index: number): readonly (number | undefined)[] {
    return graphs.map(({ ofRow }, i) => (ofRow[index] === NONE ? undefined : ranks[i]![ofRow[index]!]));
  }

  function changeOf(
    found: PageRow<'rank' | 'hostRank'> | undefined,
    wanted: readonly (number | undefined)[],
    countRow: Count,
  ): PageChange | undefined {
    // It was removed meanwhile, or what it holds cannot be read.
    if (!found || found.damaged) return undefined;
    const differ = fields.filter((field, i) => found[field] !== wanted[i]);
    if (differ.length === 0) return undefined;
    const set = differ.filter((field) => wanted[fields.indexOf(field)] !== undefined);
    countRow('written');
    if (set.length < differ.length) countRow('unranked');
    return {
      key: found.key,
      set: Object.fromEntries(set.map((field) => [field, wanted[fields.indexOf(field)]])),
      unset: differ.filter((field) => !set.includes(field)),
    };
  }
}
