import { library } from '../../library.js';
import type { ExportFormat } from './format.js';

export const warcFormat: ExportFormat = {
  name: 'warc',
  summary: 'WARC files with a CDXJ index, for web archives',
  description:
    'Writes the bodies of pages into a folder of WARC 1.1 files of at most 1 GB, with an index over all of them.',
  addOptions: (command) => command,
  help: `Records:
  response  a response with its headers as received, and its body without transfer and content codings; for a
            redirect or an error, status and Location from the row
  revisit   a page whose last response was 304
  metadata  title, language and links of a parsed page
There are no request records. Pages without any response are left out, and counted. index.cdxj is sorted for pywb.

By default a crawl fetches no images, styles and scripts: see "Whole pages" in docs/EXPORT.md.

Examples:
  webcrawl export warc -o archive
  webcrawl export warc -o example-org --domain example.org \\
      --fetched-since 2026-01-01`,
  isText: () => false,
  run: async (crawl, common) => (await library()).exportWarc(crawl, common),
};

export const waczFormat: ExportFormat = {
  name: 'wacz',
  summary: 'one WACZ file, which replays in a browser (pages without images and styles, unless these are crawled)',
  description:
    'Writes the bodies of pages into one WACZ file (1.1.1): WARC files, an index, and a list of the HTML pages.',
  addOptions: (command) => command,
  help: `It needs the package client-zip, and twice the size of the file on the disk. webcrawl export warc --help lists the
records.

Examples:
  webcrawl export wacz -o crawl.wacz
  webcrawl export wacz -o example-org.wacz --domain example.org`,
  isText: () => false,
  run: async (crawl, common) => (await library()).exportWacz(crawl, common),
};
