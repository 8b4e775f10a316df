import {
  DUMP_FIELDS,
  exportChunks,
  exportKrake,
  exportPages,
  exportWacz,
  exportWarc,
  type OpenContext,
  type Report,
} from '../../packages/webcrawl/internal.js';

type Export = (crawl: OpenContext, output: string) => Promise<Pick<Report, 'counters'>>;

interface ExportCase {
  readonly about: string;
  readonly output: string;
  readonly run: Export;
}

function pages(about: string, output: string, format?: 'parquet' | 'hosts'): ExportCase {
  return { about, output, run: (crawl, path) => exportPages(crawl, { output: path, ...(format && { format }) }) };
}

/** Cases by name. The first is the plain scan, which the others are compared with. A new format is one more entry. */
export const EXPORT_CASES: Readonly<Record<string, ExportCase>> = {
  scan: {
    about: 'a plain scan of the same fields, which writes nothing',
    output: 'none',
    async run(crawl) {
      let rows = 0;
      for await (const _ of crawl.pages({ fields: DUMP_FIELDS })) rows += 1;
      return { counters: { rows } };
    },
  },
  jsonl: pages('JSON Lines', 'pages.jsonl'),
  'jsonl.gz': pages('JSON Lines, compressed', 'pages.jsonl.gz'),
  csv: pages('CSV', 'pages.csv'),
  xlsx: pages('a workbook of Excel', 'pages.xlsx'),
  parquet: pages('a folder of Parquet files', 'parquet', 'parquet'),
  hosts: pages('a JSON Lines file per host', 'hosts', 'hosts'),
  chunks: {
    about: 'main content as Markdown in chunks, of the pages with a body',
    output: 'chunks.jsonl',
    run: (crawl, output) => exportChunks(crawl, { output }),
  },
  warc: {
    about: 'WARC files with their index, of the pages with a body',
    output: 'warc',
    run: (crawl, output) => exportWarc(crawl, { output }),
  },
  wacz: {
    about: 'a WACZ file, of the pages with a body',
    output: 'pages.wacz',
    run: (crawl, output) => exportWacz(crawl, { output }),
  },
  krake: {
    about: 'the files of Krake: of all pages the graph, and the bodies of those that have one',
    output: 'krake',
    run: (crawl, output) => exportKrake(crawl, { output }),
  },
};
