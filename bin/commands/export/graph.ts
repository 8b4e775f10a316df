import { Option, type Command } from 'commander';
import type { GraphFormat, Level, Report } from '../../../packages/webcrawl/index.js';
import { CrawlError, GRAPH_FORMATS, LEVELS } from '../../../packages/webcrawl/names.js';
import { runJob, type Cli } from '../../cli.js';
import { selectionOf } from '../../options/selection.js';
import { FORCE_HELP, OUTPUT_HELP } from './format.js';
import { say, write } from '../../output/output.js';

interface GraphOptions {
  readonly output: string;
  readonly level: Level;
  readonly format?: GraphFormat;
  readonly raw?: boolean;
  readonly force?: boolean;
  readonly host?: string;
  readonly domain?: string;
  readonly prefix?: string;
}

/** `graph`: writes the graph of links for other programs. */
export function addGraph(program: Command, cli: Cli): void {
  program
    .command('graph')
    .summary('write the graph of links between pages, hosts or domains')
    .description(
      'Writes the graph of links: its nodes in the order of their keys, numbered from 0 on, and each edge once. Pages that ' +
        'are gone are no nodes; links to them, and to URLs that are not in the table, are left out and counted.',
    )
    .requiredOption('-o, --output <path>', OUTPUT_HELP)
    .addOption(new Option('--level <level>', 'what a node is').choices(LEVELS).makeOptionMandatory())
    .addOption(
      new Option('--format <format>', 'the format (default: by the name of the target, else cc)').choices(
        GRAPH_FORMATS,
      ),
    )
    .option('--raw', 'links as they stand: redirects and canonicals are not resolved')
    .option('--force', FORCE_HELP)
    .option('--host <host>', 'only pages of this host')
    .option('--domain <domain>', 'only pages of this domain and its sub-domains')
    .option('--prefix <url>', 'only pages whose URL begins so')
    .addHelpText(
      'after',
      `
Formats:
  cc       a folder as of Common Crawl: vertices.txt.gz (number, reversed name) and edges.txt.gz (numbers)
  parquet  a folder with nodes.parquet and edges.parquet; it takes the package hyparquet-writer
  krake    a folder with Krake's web graph and URL mapping
  graphml  one file, at most 1,000,000 nodes and edges
  dot      one file for Graphviz, at most 100,000 nodes and edges
  svg      a picture of the 150 nodes of the best rank

A name such as hosts.parquet or hosts.csv, which is that of a file that no format makes, is refused.

A link to a page that redirects, or that names a canonical page which was fetched, counts for that
page, and the first one is no node. Between hosts and domains only links to another one count.
What is sorted lies beside the target meanwhile. It can be killed and run again; it begins anew then.
docs/GRAPH.md has the lines that read each format in other programs.

Examples:
  webcrawl graph -o hosts --level host
  webcrawl graph -o hosts.svg --level host
  webcrawl graph -o links --level page --format parquet --domain example.com
  webcrawl graph -o - --level domain --format dot | dot -Tpdf > domains.pdf`,
    )
    .action(async ({ output, level, format, raw, force, ...selection }: GraphOptions) => {
      const { io } = cli;
      if (output === '-' && cli.options().json) {
        throw new CrawlError('USAGE', 'expected one of -o - and --json, found both');
      }
      const { counters, interrupted } = await runJob(
        cli,
        'graph',
        (crawl, job, { exportGraph }) =>
          exportGraph(crawl, {
            ...job,
            ...selectionOf(selection),
            output,
            level,
            ...(output === '-' && { stdout: (data: Uint8Array) => write(io.stdout, data) }),
            ...(format && { format }),
            ...(raw && { raw }),
            ...(force && { force }),
          }),
        { alone: false },
      );
      if (cli.options().quiet || interrupted) return;
      if (!counters.scanned) say(io, 'No page is selected: the graph has no nodes.');
      else if (!counters.edges) say(io, noEdges(level, counters));
    });
}

/** Why a graph has no edges, as its counters say. */
function noEdges(level: Level, counters: Report['counters']): string {
  if (level !== 'page' && counters[`links_within_${level}`]) {
    return `All links between pages of the graph stay within a ${level}: it has no edges. --level page shows them.`;
  }
  if (counters.links_outside)
    return 'All links of these pages lead to others, which are not selected: the graph has no edges.';
  return 'No page links to another one in the table: the graph has no edges.';
}
