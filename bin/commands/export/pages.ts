import { Option } from 'commander';
import type { PageField, PageFormat } from '../../../packages/webcrawl/index.js';
import { DUMP_FIELDS, PAGE_FORMATS } from '../../../packages/webcrawl/names.js';
import { library } from '../../library.js';
import { fieldsOf } from '../../options/fields.js';
import type { ExportFormat } from './format.js';

interface PagesOptions {
  readonly format?: PageFormat;
  readonly fields?: readonly PageField[];
}

/** `export pages`: the rows of pages. */
export const pagesFormat: ExportFormat<PagesOptions> = {
  name: 'pages',
  summary: 'the fields of pages, as JSON Lines, CSV, Parquet or files by host',
  description: 'Writes the fields of the pages that the selection names, in the order of the table.',
  addOptions: (command) =>
    command
      .addOption(
        new Option('--format <format>', 'the format (default: by the name of the target, else jsonl)').choices(
          PAGE_FORMATS,
        ),
      )
      .option('--fields <names>', 'only these fields, by commas; key, url and status are always there', fieldsOf),
  help: `Formats:
  jsonl    a JSON document a line; compressed where the name ends in .gz
  csv      RFC 4180 with a line of names, nested fields as JSON; compressed where the name ends in .gz
  parquet  one file where the name ends in .parquet, else a folder of files, of which each is kept when
           the export is killed; it takes the package hyparquet-writer
  hosts    a folder with a JSON Lines file for each host

The fields are those of webcrawl readdb --help; without --fields ${DUMP_FIELDS.slice(0, 3).join(', ')} and the others
that a dump shows.

Examples:
  webcrawl export pages -o pages.jsonl.gz
  webcrawl export pages -o pages.parquet --status fetched --fields title,text,fetchedAt
  webcrawl export pages -o changed.csv --since 1767607200-123456 --fields title,modifiedTime
  webcrawl export pages -o pages.jsonl --status fetched --fields title,markdown
  webcrawl export pages -o s3://my-bucket/pages --format parquet --status fetched
  webcrawl export pages -o by-host --format hosts --domain example.com
  webcrawl export pages -o - --host example.com --fields title | jq -r .title`,
  isText: ({ format = 'jsonl' }) => format === 'jsonl' || format === 'csv',
  run: async (crawl, common, { format, fields }) =>
    (await library()).exportPages(crawl, { ...common, ...(format && { format }), ...(fields && { fields }) }),
};
