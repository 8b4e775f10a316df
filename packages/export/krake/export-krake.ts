import { urlOf } from '../../../webtable/index.js';
import { buildGraphs, withWorkFolder, type LinkGraph, type LinkRow } from '../../graph/index.js';
import type { CrawlContext, Report, Tracker } from '../../jobs/index.js';
import { SIZES, type ExportSizes } from '../pages/sizes.js';
import { checkSelection, selectedRows, selectionIdentity, type ExportSelection } from '../pages/selected-rows.js';
import { refuseShard } from '../pages/shard-part.js';
import { runExport, type ExportOptions } from '../target/run-export.js';
import { uncounted } from '../target/uncounted.js';
import { checkInt32 } from './formats.js';
import { contentPlaces, writeContents, type ContentPlace } from './write-contents.js';
import { writeMapping, type NamedNode } from './write-mapping.js';
import { writeWebGraph } from './web-graph.js';

/** What {@link exportKrake} takes. */
export interface ExportKrakeOptions extends ExportOptions, ExportSelection {}

/**
 * Writes the selected pages into a folder of Krake's files, see {@link KRAKE_FILES}: every row is a node, those with a body are in
 * the content file, and the graph has the links and redirects between them as they are. A page takes 13 bytes of memory. See
 * `writeTarget` for what becomes of the output, also when it is killed.
 *
 * Counters: those of every export; selected, pages, edges, no_body, lost_body, damaged; no_node; links_*, as of `graph`.
 * @param sizes only tests need others than the defaults
 * @throws CrawlError BAD_OUTPUT, also for more than 2^31 - 1 pages or bytes of one; STORE_FULL; USAGE for a shard; USAGE, BAD_URL for a selection that is wrong
 */
export async function exportKrake(
  crawl: CrawlContext,
  options: ExportKrakeOptions,
  sizes: Pick<ExportSizes, 'checkpoint'> = SIZES,
): Promise<Report> {
  const { signal } = options;
  refuseShard(options, 'Krake', 'each page is numbered by its place among all of them');
  const ruled = await checkSelection(crawl, options);
  const identity = { export: 'krake', selection: selectionIdentity(options) };
  const kind = { kind: 'folder', identity, total: options.limit } as const;
  return runExport(crawl, 'export krake', options, kind, async (target, tracker) => {
    const counts = await writeContents(ruled, target, options, tracker, sizes);
    if (counts === 'stopped') return counts;
    return withWorkFolder(target.scratchFolder, async (folder) => {
      const build = { levels: ['page'], raw: true, folder, count: tracker.count, ...(signal && { signal }) } as const;
      const { graphs } = await buildGraphs(linkRows(ruled, options, tracker), build);
      signal?.throwIfAborted();
      const [graph] = graphs as readonly [LinkGraph];
      checkInt32(graph.count, 'pages');
      const { count, adjacency } = graph;
      const named = nodesOf(graph, contentPlaces(target), tracker);
      const nodeIds = await writeMapping(target, { count, nodes: named, hasContent: true, folder, signal });
      await writeWebGraph(target, { adjacency, nodeIds, folder, signal });
      tracker.count('edges', adjacency.edges);
      return { nodes: count, counters: { ...counts } };
    });
  });
}

/** Every row of the selection with its links; whatever became of the page, it is a node. */
async function* linkRows(crawl: CrawlContext, selection: ExportSelection, tracker: Tracker): AsyncGenerator<LinkRow> {
  const fields = ['status', 'redirectTarget', 'outlinks'] as const;
  const all = { kept: { parts: 0, rows: 0, bytes: 0 } };
  for await (const row of selectedRows(crawl, selection, fields, all, uncounted(tracker))) {
    const { key, redirectTarget, outlinks = [] } = row;
    yield { key, ...(redirectTarget !== undefined && { redirectTarget }), links: outlinks.map(({ url }) => url) };
  }
}

/** The nodes with the places of their pages; a page that has no node is counted. */
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
