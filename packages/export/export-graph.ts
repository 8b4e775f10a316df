import { LINK_FIELDS, buildGraphs, linkRowOf, withWorkFolder, type Level, type LinkRow } from '../graph/index.js';
import { selectorOf, type PageSelection } from '../answers/index.js';
import type { CrawlContext, Report, Tracker } from '../core/index.js';
import { defined } from '../util/index.js';
import { commonCrawl } from './graph/common-crawl.js';
import type { GraphFormatWriter } from './graph/graph-format.js';
import { graphFormatOf } from './graph/format-of-name.js';
import type { GraphFormat } from './graph/graph-formats.js';
import { parquetGraph } from './graph/parquet-graph.js';
import { svg } from './graph/svg-graph.js';
import { dot, graphml } from './graph/text-graphs.js';
import { runExport, type ExportOptions } from './target/run-export.js';

/**
 * Options of {@link exportGraph}. At most one of `host`, `domain` and `prefix` may be given. The graph then has only the pages of this
 * host, domain or prefix.
 */
export interface ExportGraphOptions extends ExportOptions, Pick<PageSelection, 'host' | 'domain' | 'prefix'> {
  /** The kind of nodes: pages, hosts or domains. */
  readonly level: Level;
  /**
   * `cc`, `parquet` and `krake` are folders; `graphml`, `dot` and `svg` are files. Default: the format that the name of the output implies,
   * else `cc`. {@link graphFormatOf} refuses a name that contradicts the format.
   */
  readonly format?: GraphFormat;
  /**
   * Keep redirects, and pages that name another page as canonical, as separate nodes. Links to these nodes are not resolved. Default:
   * false.
   */
  readonly raw?: boolean;
}

/** Loads the writer of each format. If a package is missing, loading fails before any row is read. */
const WRITERS: Readonly<Record<GraphFormat, () => Promise<GraphFormatWriter>>> = {
  cc: () => Promise.resolve(commonCrawl),
  parquet: parquetGraph,
  krake: async () => (await import('./graph/krake-graph.js')).krakeFormat,
  graphml: () => Promise.resolve(graphml),
  dot: () => Promise.resolve(dot),
  svg: () => Promise.resolve(svg),
};

/**
 * Exports the graph of links between pages, hosts or domains: nodes in key order, numbered from 0, and each edge once. Pages that are gone
 * are no nodes. Links to gone pages, and to URLs without a row, are left out and counted. A link to a redirect becomes a link to the
 * redirect target. A link to a page that names another page as canonical becomes a link to the canonical page. With `raw`, links are not
 * changed. The export sorts on disk, beside the target, and holds no URLs in memory.
 *
 * Counters: those of every export, and of `graph`.
 * @throws CrawlError USAGE, BAD_URL for a wrong selection or level; MISSING_PACKAGE; BAD_OUTPUT, also for a graph that is too large for its
 * format; STORE_FULL
 */
export async function exportGraph(crawl: CrawlContext, options: ExportGraphOptions): Promise<Report> {
  const { output, level, raw = false, host, domain, prefix, signal } = options;
  const format = graphFormatOf(output, options.format);
  const selection = defined({ host, domain, prefix });
  const { ranges } = await selectorOf(crawl, selection);
  const { kind, write } = await WRITERS[format]();
  const about = { export: 'graph', level, format, raw, selection };
  return runExport(crawl, 'graph', options, { kind, about }, (target, tracker) =>
    withWorkFolder(target.scratchFolder, async (folder) => {
      const { graphs } = await buildGraphs(rowsOf(crawl, ranges, tracker), {
        folder,
        raw,
        levels: [level],
        count: tracker.count,
        onRow: () => tracker.done(),
        ...defined({ ranges, signal }),
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
