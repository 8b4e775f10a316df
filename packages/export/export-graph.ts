import { CrawlError, safeText } from '../errors/index.js';
import {
  LEVELS,
  LINK_FIELDS,
  buildGraphs,
  linkRowOf,
  withWorkFolder,
  type Level,
  type LinkRow,
} from '../graph/index.js';
import { selectorOf, type CrawlContext, type PageSelection, type Report, type Tracker } from '../jobs/index.js';
import { commonCrawl } from './graph/common-crawl.js';
import type { GraphFormatWriter } from './graph/graph-format.js';
import { graphFormatOf } from './graph/format-of-name.js';
import type { GraphFormat } from './graph/graph-formats.js';
import { krakeFormat } from './graph/krake-graph.js';
import { parquetGraph } from './graph/parquet-graph.js';
import { svg } from './graph/svg-graph.js';
import { dot, graphml } from './graph/text-graphs.js';
import { runExport, type ExportOptions } from './target/run-export.js';

/** What {@link exportGraph} takes. Of host, domain and prefix at most one: the graph of these pages alone. */
export interface ExportGraphOptions extends ExportOptions, Pick<PageSelection, 'host' | 'domain' | 'prefix'> {
  /** What a node is. */
  readonly level: Level;
  /**
   * `cc`, `parquet` and `krake` are folders, `graphml`, `dot` and `svg` files. Default: by the name of the output, else `cc`. See
   * {@link graphFormatOf} for names that are none of a format.
   */
  readonly format?: GraphFormat;
  /** Redirects and canonicals are not resolved: they are pages like others. Default: false. */
  readonly raw?: boolean;
}

/** By format, what writes it; it finds out what is missing before anything is read. */
const WRITERS: Readonly<Record<GraphFormat, () => Promise<GraphFormatWriter>>> = {
  cc: () => Promise.resolve(commonCrawl),
  parquet: parquetGraph,
  krake: () => Promise.resolve(krakeFormat),
  graphml: () => Promise.resolve(graphml),
  dot: () => Promise.resolve(dot),
  svg: () => Promise.resolve(svg),
};

/**
 * Exports the graph of links between pages, hosts or domains: nodes in the order of their keys, numbered from 0 on, and each edge once. Pages that are gone are no nodes; links to them, and to URLs
 * that have no row, are left out and counted. A link to a redirect, or to a page that names a canonical one, counts
 * for its target, unless `raw` is given. It sorts on the disk, beside the target, and holds no URLs in memory. Killed, it begins anew.
 *
 * Counters: those of every export, and of `graph`.
 * @throws CrawlError USAGE, BAD_URL for a selection or a level that is wrong; MISSING_PACKAGE; BAD_OUTPUT, also for a graph
 *   that is too large for its format; STORE_FULL
 */
export async function exportGraph(crawl: CrawlContext, options: ExportGraphOptions): Promise<Report> {
  const { output, level, raw = false, host, domain, prefix, signal } = options;
  if (!LEVELS.includes(level)) {
    throw new CrawlError('USAGE', `expected a level of ${LEVELS.join(', ')}, found ${safeText(String(level), 80)}`);
  }
  const format = graphFormatOf(output, options.format);
  const selection = {
    ...(host !== undefined && { host }),
    ...(domain !== undefined && { domain }),
    ...(prefix !== undefined && { prefix }),
  };
  const { ranges } = selectorOf(crawl, selection);
  const { kind, write } = await WRITERS[format]();
  const identity = { export: 'graph', level, format, raw, selection };
  return runExport(crawl, 'graph', options, { kind, identity }, (target, tracker) =>
    withWorkFolder(target.scratchFolder, async (folder) => {
      const { graphs } = await buildGraphs(rowsOf(crawl, ranges, tracker), {
        folder,
        raw,
        levels: [level],
        count: tracker.count,
        onRow: () => tracker.done(),
        ...(ranges && { ranges }),
        ...(signal && { signal }),
      });
      const graph = graphs[0]!;
      const { nodes, edges } = graph.adjacency;
      tracker.count('nodes', nodes);
      tracker.count('edges', edges);
      await write({ graph, target, folder, signal });
      return { nodes, edges };
    }),
  );
}

async function* rowsOf(
  { tables: { pages } }: CrawlContext,
  ranges: Parameters<typeof pages.scan>[0]['ranges'],
  { fail }: Tracker,
): AsyncGenerator<LinkRow> {
  for await (const row of pages.scan({ fields: LINK_FIELDS, ...(ranges && { ranges }) })) {
    if (row.damaged) fail('damaged');
    yield linkRowOf(row);
  }
}
