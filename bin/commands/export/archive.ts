import { library } from '../../library.js';
import type { ExportFormat } from './format.js';

/** `export warc`: files for archives. */
export const warcFormat: ExportFormat = {
  name: 'warc',
  summary: 'WARC files with a CDXJ index, for web archives',
  description:
    'Writes the bodies of pages into a folder of WARC 1.1 files, of 1 GB at the most, with an index over all of them.',
  addOptions: (command) => command,
  help: `The records are those of the table: answers with their headers as received, and bodies with transfer
and content codings undone. A page whose last answer was 304 has a revisit record, and what was parsed
has a metadata record with title, language and links. There are no request records. Pages without a body
are left out, and counted. index.cdxj is sorted as pywb wants it.

Examples:
  webcrawl export warc -o archive
  webcrawl export warc -o example-org --domain example.org --fetched-since 2026-01-01`,
  isText: () => false,
  run: async (crawl, common) => (await library()).exportWarc(crawl, common),
};

/** `export wacz`: one file that replays in a browser. */
export const waczFormat: ExportFormat = {
  name: 'wacz',
  summary: 'one WACZ file, which replays in a browser',
  description:
    'Writes the bodies of pages into one WACZ file (1.1.1): WARC files, an index, and a list of the HTML pages.',
  addOptions: (command) => command,
  help: `It takes the package client-zip, and twice the size of the file on the disk while it is made. What is in
the WARC files is said by webcrawl export warc --help.

Examples:
  webcrawl export wacz -o crawl.wacz
  webcrawl export wacz -o example-org.wacz --domain example.org`,
  isText: () => false,
  run: async (crawl, common) => (await library()).exportWacz(crawl, common),
};
