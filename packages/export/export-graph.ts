import { LINK_FIELDS, buildGraphs, linkRowOf, type Level, type LinkRow } from '../graph/index.js';
import { withWorkFolder } from '../scan/index.js';
import { selectorOf, type PageSelection } from '../answers/index.js';
import type { CrawlContext, JobContext, Report, Tracker } from '../core/index.js';
import { defined } from '../util/index.js';
import { commonCrawl } from './graph/common-crawl.js';
import type { GraphFormatWriter } from './graph/graph-format.js';
import { type GraphFormat, GRAPH_FORMATS } from './graph/graph-formats.js';
import { parquetGraph } from './graph/parquet-graph.js';
import { svg } from './graph/svg-graph.js';
import { dot, graphml } from './graph/text-graphs.js';
import { runExport, type ExportOptions } from './target/run-export.js';
import { CrawlError, safeText } from '../errors/index.js';
import { endingOf } from './target/file-name.js';

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
export async function exportGraph(crawl: JobContext, options: ExportGraphOptions): Promise<Report> {
  const { output, level, raw = false, host, domain, prefix, signal } = options;
  const format = graphFormatOf(output, options.format);
  const selection = defined({ host, domain, prefix });
  const { ranges } = await selectorOf(crawl, crawl, selection);
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

/** For each ending of a file name, the formats that such a file can have. The first of them is the default. */
const BY_ENDING: Readonly<Record<string, readonly GraphFormat[]>> = {
  graphml: ['graphml'],
  xml: ['graphml'],
  dot: ['dot'],
  gv: ['dot'],
  svg: ['svg'],
};

/**
 * Returns the format of a graph: the given format, else the format that the name of the output implies, else `cc`.
 * @throws CrawlError USAGE for an unknown format, and for a name whose ending does not fit the format: `hosts.parquet` must not become a
 * folder of text
 */
function graphFormatOf(output: string, asked?: GraphFormat): GraphFormat {
  if (asked !== undefined && !GRAPH_FORMATS.includes(asked)) {
    throw new CrawlError(
      'USAGE',
      `expected a format of ${GRAPH_FORMATS.join(', ')}, found ${safeText(String(asked), 80)}`,
    );
  }
  const ending = endingOf(output);
  if (ending === undefined) return asked ?? 'cc';
  const formats = BY_ENDING[ending] ?? [];
  const format = asked ?? formats[0];
  if (format !== undefined && formats.includes(format)) return format;
  const file = safeText(output, 200);
  if (ending === 'parquet') {
    throw new CrawlError('USAGE', `expected the name of a folder for a graph as Parquet, found ${file}`, {
      hint: 'a graph as Parquet is a file of nodes and a file of edges: -o <folder> --format parquet',
    });
  }
  throw new CrawlError('USAGE', `expected ${namesOf(format)}, found ${file}`, {
    hint: 'files are .graphml, .dot and .svg; the formats cc, parquet and krake are folders',
  });
}

function namesOf(format: GraphFormat | undefined): string {
  if (format === undefined) return 'the name of a folder, or of a file .graphml, .dot or .svg';
  const endings = Object.keys(BY_ENDING).filter((ending) => BY_ENDING[ending]!.includes(format));
  if (endings.length === 0) return `the name of a folder for the format ${format}`;
  return `a name that ends in .${endings[0]!} for the format ${format}`;
}
