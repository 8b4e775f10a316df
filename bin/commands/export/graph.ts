import { Option, type Command } from 'commander';
import type { ExportGraphOptions, JobOptions, Level, Report } from '../../../packages/webcrawl/internal.js';
import { CrawlError, GRAPH_FORMATS, LEVELS, defined } from '../../../packages/webcrawl/names.js';
import { runJob, type Cli } from '../../cli.js';
import { selectionOf } from '../../options/selection.js';
import { FORCE_HELP, OUTPUT_HELP } from './format.js';
import { say, write } from '../../output/output.js';

type GraphOptions = Omit<ExportGraphOptions, keyof JobOptions | 'stdout'>;

export function addGraph(program: Command, cli: Cli): void {
  program
    .command('graph')
    .summary('write the graph of links between pages or hosts')
    .description(
      'Writes the graph of links. Nodes are in the order of their keys, numbered from 0. Repeated edges are written once. Pages that ' +
        'are gone are not nodes. Links to such pages, and to URLs that are not in the table, are left out and counted.',
    )
    .requiredOption('-o, --output <path>', OUTPUT_HELP)
    .addOption(new Option('--level <level>', 'kind of the nodes').choices(LEVELS).makeOptionMandatory())
    .addOption(
      new Option('--format <format>', 'format (default: from the name of the target, else cc)').choices(GRAPH_FORMATS),
    )
    .option('--raw', 'keep the original links, without resolving redirects and canonicals')
    .option('--force', FORCE_HELP)
    .option('--host <host>', 'only pages of this host')
    .option('--domain <domain>', 'only pages of this domain and its sub-domains')
    .option('--prefix <url>', 'only pages whose URL begins with this URL')
    .addHelpText(
      'after',
      `
Formats:
  cc       a folder as Common Crawl publishes: vertices.txt.gz (number, reversed name) and edges.txt.gz (numbers)
  parquet  a folder with nodes.parquet and edges.parquet; it needs the package hyparquet-writer
  krake    a folder with Krake's web graph and URL mapping
  graphml  one file, at most 1,000,000 nodes and edges
  dot      one file for Graphviz, at most 100,000 nodes and edges
  svg      a picture: the 150 nodes with the best rank on a circle, in the order of their keys

A name such as hosts.parquet or hosts.csv is refused, since no format makes such a file.

A link to a page that redirects counts for the target, and the redirecting page is not a node. The same applies to
a page that names a canonical page, if the canonical page was fetched. Between hosts and domains, only links to
another host or domain count. Temporary files are beside the target. After a kill, the same command starts again.
docs/GRAPH.md shows how to read each format in other programs.

Examples:
  webcrawl graph -o hosts --level host
  webcrawl graph -o hosts.svg --level host
  webcrawl graph -o links --level page --format parquet --domain example.com
  webcrawl graph -o - --level domain --format dot | dot -Tpdf > domains.pdf`,
    )
    .action(async ({ output, level, format, raw, force, ...selection }: GraphOptions) => {
      const { io } = cli;
      if (output === '-' && cli.options().json) {
        throw new CrawlError('USAGE', '-o - and --json cannot be combined');
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
            ...defined({ format, raw, force }),
          }),
        { alone: false },
      );
      if (cli.options().quiet || interrupted) return;
      if (!counters.scanned) say(io, 'No page is selected: the graph has no nodes.');
      else if (!counters.edges) say(io, noEdges(level, counters));
    });
}

function noEdges(level: Level, counters: Report['counters']): string {
  if (level !== 'page' && counters[`links_within_${level}`]) {
    return `All links between pages of the graph stay within a ${level}: it has no edges. --level page shows them.`;
  }
  if (counters.links_outside)
    return 'All links of these pages lead to pages that are not selected: the graph has no edges.';
  return 'No page links to another page of the table: the graph has no edges.';
}
