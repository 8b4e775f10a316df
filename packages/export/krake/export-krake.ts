import {
  urlOf,
  type CrawlContext,
  type JobContext,
  type Report,
  type RulesInForce,
  type Tracker,
  chunked,
  isBodyLost,
} from '../../core/index.js';
import { buildGraphs, type LinkGraph, type LinkRow } from '../../graph/index.js';
import { withWorkFolder } from '../../scan/index.js';
import { checkSelection, selectedRows, aboutSelection, type ExportSelection } from '../pages/selected-rows.js';
import { runExport, type ExportOptions } from '../target/run-export.js';
import { uncounted } from '../target/uncounted.js';
import { checkInt32, KRAKE_FILES, contentRecord } from './formats.js';
import { writeMapping, type NamedNode } from './write-mapping.js';
import { writeWebGraph } from './web-graph.js';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Target } from '../target/target.js';

/** Options of {@link exportKrake}. */
export interface ExportKrakeOptions extends ExportOptions, ExportSelection {}

/**
 * Writes the selected pages into a folder of Krake's files, see {@link KRAKE_FILES}. Every row is a node. The content file has the rows
 * with a body. The graph has the links and redirects between the rows, and does not resolve redirects. Each page takes 21 bytes of memory.
 * `writeTarget` describes the output, and what happens after a kill.
 *
 * Counters: those of every export; selected, pages, edges, no_body, lost_body, damaged; no_node (pages without a node); links_*, as in
 * `graph`.
 * @throws CrawlError BAD_OUTPUT, also for more than 2^31 - 1 pages, or a page of more than 2^31 - 1 bytes; STORE_FULL;
 * USAGE, BAD_URL for a wrong selection
 */
export async function exportKrake(crawl: JobContext, options: ExportKrakeOptions): Promise<Report> {
  const { signal } = options;
  const rules = await checkSelection(crawl, options);
  const about = { export: 'krake', selection: aboutSelection(crawl, options) };
  const kind = { kind: 'folder', about, total: options.limit } as const;
  return runExport(crawl, 'export krake', options, kind, async (target, tracker) => {
    if (!(await writeContents(crawl, rules, target, options, tracker))) return 'stopped';
    return withWorkFolder(target.scratchFolder, async (folder) => {
      const build = { levels: ['page'], raw: true, folder, count: tracker.count, ...(signal && { signal }) } as const;
      const { graphs } = await buildGraphs(linkRows(crawl, rules, options, tracker), build);
      signal?.throwIfAborted();
      const [graph] = graphs as readonly [LinkGraph];
      checkInt32(graph.count, 'pages');
      const { count, adjacency } = graph;
      const named = nodesOf(graph, contentPlaces(target), tracker);
      const nodeIds = await writeMapping(target, { count, nodes: named, hasContent: true, folder, signal });
      await writeWebGraph(target, { adjacency, nodeIds, folder, signal });
      tracker.count('edges', adjacency.edges);
      return { nodes: count };
    });
  });
}

/** Reads every row of the selection with its links. Each row is a node, even if its page is gone or was never fetched. */
async function* linkRows(
  crawl: CrawlContext,
  rules: RulesInForce,
  selection: ExportSelection,
  tracker: Tracker,
): AsyncGenerator<LinkRow> {
  const fields = ['status', 'redirectTarget', 'outlinks'] as const;
  for await (const row of selectedRows(crawl, rules, selection, fields, uncounted(tracker))) {
    const { key, redirectTarget, outlinks = [] } = row;
    yield { key, ...(redirectTarget !== undefined && { redirectTarget }), links: outlinks.map(({ url }) => url) };
  }
}

async function* nodesOf(
  graph: LinkGraph,
  places: AsyncGenerator<ContentPlace>,
  tracker: Tracker,
): AsyncGenerator<NamedNode> {
  let place = await places.next();
  for await (const keys of graph.keys()) {
    for (const key of keys) {
      while (!place.done && place.value.key < key) {
        tracker.count('no_node');
        place = await places.next();
      }
      const hasContent = !place.done && place.value.key === key;
      yield { name: urlOf(key), ...(hasContent && { offset: (place.value as ContentPlace).offset }) };
      if (hasContent) place = await places.next();
    }
  }
  for (; !place.done; place = await places.next()) tracker.count('no_node');
}

interface ContentPlace {
  readonly key: string;
  readonly offset: number;
}

const PAGES_AT_ONCE = 8;
/** A scratch file with a line `offset key` for each page, in key order. It is needed until the other files are written. */
const PLACES = 'places';

/**
 * Writes the content file. Counters: selected (processed rows), pages (in the content file), no_body, lost_body, damaged.
 * @returns true if the file is complete; false if the tracker was aborted
 */
async function writeContents(
  crawl: CrawlContext,
  rules: RulesInForce,
  target: Target,
  selection: ExportSelection,
  tracker: Tracker,
): Promise<boolean> {
  const content = await target.part(KRAKE_FILES.content);
  const places = await target.scratch(PLACES);
  for await (const chunk of chunked(
    selectedRows(crawl, rules, selection, ['status', 'content'], tracker),
    PAGES_AT_ONCE,
  )) {
    const records = await Promise.all(chunk.map(async (row) => row.content && (await contentRecord(row.content))));
    for (const [i, row] of chunk.entries()) {
      const record = records[i];
      if (record) {
        await places.write(`${content.bytes} ${row.key}\n`);
        await content.write(record, 1);
        tracker.count('pages');
      } else if (!isBodyLost(row)) tracker.count('no_body');
    }
    tracker.count('selected', chunk.length);
    tracker.done(chunk.length);
  }
  if (tracker.aborted) return false;
  await content.end();
  await places.end();
  return true;
}

async function* contentPlaces(target: Target): AsyncGenerator<ContentPlace> {
  const input = createReadStream(join(target.scratchFolder, PLACES), { encoding: 'latin1' });
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    const space = line.indexOf(' ');
    yield { offset: Number(line.slice(0, space)), key: line.slice(space + 1) };
  }
}
