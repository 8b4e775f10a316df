import { CrawlError, safeText } from '../../errors/index.js';
import { endingOf } from '../target/file-name.js';
import { GRAPH_FORMATS, type GraphFormat } from './graph-formats.js';

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
export function graphFormatOf(output: string, asked?: GraphFormat): GraphFormat {
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
