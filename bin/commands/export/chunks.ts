import { CHUNK_WORDS } from '../../../packages/webcrawl/names.js';
import { library } from '../../library.js';
import { wholeNumber } from '../../options/arguments.js';
import type { ExportFormat } from './format.js';

interface ChunksOptions {
  readonly maxWords?: number;
}

/** `export chunks`: main content as Markdown, cut by headings. */
export const chunksFormat: ExportFormat<ChunksOptions> = {
  name: 'chunks',
  summary: 'the main content of pages as Markdown, in chunks by heading, as JSON Lines',
  description:
    'Writes the main content of the pages of HTML that the selection names, as Markdown in chunks by heading: one JSON document ' +
    'a line, with url, title, headings, text and position.',
  addOptions: (command) =>
    command.option('--max-words <n>', `words of a chunk at the most (default: ${CHUNK_WORDS})`, wholeNumber(1)),
  help: `The main content is what a page marks as main (main, role=main, its only article), else its body; without
navigation, banners and forms. What stands under one heading is one chunk; what is longer is cut between
paragraphs, lists, tables and blocks of code. Of Chinese, Japanese and Thai, characters count as words.
It takes the package node-html-markdown, and the bodies (fetcher.storeContent).

Examples:
  webcrawl export chunks -o chunks.jsonl
  webcrawl export chunks -o chunks.jsonl.gz --host docs.example.com --max-words 300
  webcrawl export chunks -o - --prefix https://example.com/guide/ | jq -r .text`,
  isText: () => true,
  run: async (crawl, common, { maxWords }) =>
    (await library()).exportChunks(crawl, { ...common, ...(maxWords !== undefined && { maxWords }) }),
};
