import { Option } from 'commander';
import type { ExportPagesOptions } from '../../../packages/webcrawl/internal.js';
import { DUMP_FIELDS, LINK_LISTS, PAGE_FORMATS, defined } from '../../../packages/webcrawl/names.js';
import { library } from '../../library.js';
import { namesGiven } from '../../options/arguments.js';
import { fieldsOf } from '../../options/fields.js';
import { ALL_HELP, addAll, type ExportFormat } from './format.js';

type PagesOptions = Pick<ExportPagesOptions, 'format' | 'fields' | 'each' | 'all' | 'type'>;

export const pagesFormat: ExportFormat<PagesOptions> = {
  name: 'pages',
  summary: 'the fields of pages, as JSON Lines, CSV, Excel, Parquet, files by host or Markdown',
  description: 'Writes the fields of the selected pages, in the order of the table.',
  addOptions: (command) =>
    addAll(command)
      .addOption(
        new Option('--format <format>', 'format (default: from the name of the target, else jsonl)').choices(
          PAGE_FORMATS,
        ),
      )
      .option(
        '--fields <names>',
        'only these fields, separated by commas; key, url and status are always included',
        fieldsOf,
      )
      .option(
        '--type <names>',
        'only pages of these schema.org types, separated by commas, such as Product',
        namesGiven,
      )
      .addOption(new Option('--each <links>', 'write a line for each link instead of each page').choices(LINK_LISTS)),
  help: `${ALL_HELP} With --since, pages that
are gone, redirect, have noindex or are duplicates since then are exported too. Their field removed has the reason,
so that you can update a copy.

Formats:
  jsonl     a JSON document on each line; compressed if the name ends in .gz
  csv       RFC 4180 with a header line, nested fields as JSON; compressed if the name ends in .gz
  xlsx      an Excel workbook for people: url first, times as dates (UTC), strings never as formulas, cells of at
            most 32,767 characters; it needs the package fflate
  parquet   one file if the name ends in .parquet, else a folder of files; it needs the package
            hyparquet-writer
  hosts     a folder with a JSON Lines file for each host
  markdown  a folder with a file for each page: front matter with title, url, author, published, date, language and
            the given --fields, then the main content as Markdown; it needs the packages of export chunks

--each inlinks writes a line for each link to a page. A line has url and status of the page, code and http of its
last fetch, source (the URL of the linking page), anchor, and the --fields. --each outlinks has target in place
of source. It works with jsonl, csv and xlsx. --limit counts pages.

--type Product exports only pages that have this type in their JSON-LD or microdata: as the type of an outermost
item, of an item in @graph, or of the mainEntity. Types are those of schema.org, in upper or lower case. --type
may be given many times. Pages of other types are counted as other_type; with --since they are exported as
removed. It reads the body of each page.

webcrawl readdb --help lists the fields. Without --fields, an export has ${DUMP_FIELDS.slice(0, 3).join(', ')} and all
other fields that a dump shows.

Examples:
  webcrawl export pages -o pages.jsonl.gz
  webcrawl export pages -o pages.parquet --fields title,text,fetchedAt
  webcrawl export pages -o pages.jsonl --fields title,markdown
  webcrawl export pages -o articles.jsonl --type Article,NewsArticle \\
      --fields title,author,publishedAt,markdown
  webcrawl export pages -o s3://my-bucket/pages --format parquet
  webcrawl export pages -o broken.xlsx --code 404,500 --each inlinks
  webcrawl export pages -o docs --format markdown --host docs.example.com
  webcrawl export pages -o by-host --format hosts --domain example.com
  webcrawl export pages -o - --host example.com --fields title | jq -r .title`,
  isText: ({ format = 'jsonl' }) => format === 'jsonl' || format === 'csv',
  run: async (crawl, common, { format, fields, each, all, type }) =>
    (await library()).exportPages(crawl, { ...common, ...defined({ format, fields, each, all, type }) }),
};
