import type { ExportChunksOptions } from '../../../packages/webcrawl/internal.js';
import { CHUNK_WORDS, defined } from '../../../packages/webcrawl/names.js';
import { library } from '../../library.js';
import { wholeNumber } from '../../options/arguments.js';
import { ALL_HELP, addAll, type ExportFormat } from './format.js';

type ChunksOptions = Pick<ExportChunksOptions, 'maxWords' | 'all'>;

export const chunksFormat: ExportFormat<ChunksOptions> = {
  name: 'chunks',
  summary: 'the main content of pages as Markdown, in chunks by heading, as JSON Lines',
  description:
    'Writes the main content of the selected HTML pages, as Markdown in chunks by heading: one JSON document ' +
    'on each line, with id, url, title, status, language, fetchedAt, modifiedAt, headings, text, digest and position.',
  addOptions: (command) =>
    addAll(command).option(
      '--max-words <n>',
      `maximum number of words in a chunk (default: ${CHUNK_WORDS})`,
      wholeNumber(1),
    ),
  help: `The main content has no navigation, banners and forms. The text under one heading is one chunk. If it is too long, it is
split between paragraphs, lists, tables and blocks of code. A block that is too long is split between items, rows and
lines. Each piece of a table repeats its head. In Chinese, Japanese and Thai, characters count as words.
It needs the packages mdast-util-to-markdown, mdast-util-gfm-table, mdast-util-gfm-strikethrough and
mdast-util-math, and the bodies (fetcher.storeContent).

The id of a chunk is made from URL and text. So it stays the same as long as the text is the same, in every export and at any
position in the page. --since exports the chunks of pages that are new or have changed. export pages --since
also lists the pages that are gone.

${ALL_HELP}

Examples:
  webcrawl export chunks -o chunks.jsonl
  webcrawl export chunks -o chunks.jsonl.gz --host docs.example.com \\
      --max-words 300
  webcrawl export chunks -o - --prefix https://example.com/guide/ | jq -r .text`,
  isText: () => true,
  run: async (crawl, common, { maxWords, all }) =>
    (await library()).exportChunks(crawl, { ...common, ...defined({ maxWords, all }) }),
};
