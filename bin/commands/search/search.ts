import type { Command } from 'commander';
import { MAX_HITS } from '../../../packages/webcrawl/names.js';
import { library } from '../../library.js';
import { EXIT, open, type Cli } from '../../cli.js';
import { wholeNumber } from '../../options/arguments.js';
import { jsonLine, say, write, number, oneLine, quantity } from '../../output/output.js';
import type { SearchHit, SearchResult } from '../../../packages/webcrawl/internal.js';

interface SearchCommandOptions {
  readonly page: number;
  readonly limit: number;
  readonly fold: boolean;
}

export function addSearch(program: Command, cli: Cli): void {
  program
    .command('search')
    .summary('find pages by their words')
    .description(
      'Finds the pages with all words of a query, the best first. If no page has all words, it finds pages with some of them. It reads the search index, which webcrawl index ' +
        'makes and updates. It works while another process has the table open. Exits with 1 when nothing is found.',
    )
    .argument('<query...>', 'words, "phrases" and operators; put -- before a query that begins with -')
    .option('--page <n>', 'number of the page of hits', wholeNumber(1), 1)
    .option('--limit <n>', `number of hits on a page, at most ${MAX_HITS}`, wholeNumber(1), 10)
    .option('--no-fold', 'show also pages with nearly the same text, and more than two pages of a host')
    .addHelpText(
      'after',
      `
A query:
  crawler engine        pages with both words, in any of their forms
  "link graph"          pages with these words side by side
  -draft                pages without this word; also before "…", site:, inurl:, intitle: and lang:
  site:example.com      pages of a domain with all hosts below it; site:example.com/docs: URLs that begin so
  intitle:guide         pages with the word in the title; inurl:docs: in the URL
  lang:zh               pages in this language
  after:2026-01         pages changed in January 2026 or later; before:2026: earlier; a year, month or day, UTC

The best ${MAX_HITS} pages are shown. Pages with nearly the same text are folded into one hit. So are the
more pages of a host after its first two, if there are enough pages of other hosts.

With --json it prints one object: total, page, pages, hits (url, title, snippet, language, fetchedAt,
modifiedAt, score, rank, alike, moreFromHost, hostQuery), didYouMean, notices (code, message),
isApproximate, seconds.

Examples:
  webcrawl search crawler engine
  webcrawl search '"link graph" site:example.com -draft'
  webcrawl search 南京大学 lang:zh after:2025 --page 2
  webcrawl search crawler --json | jq -r '.hits[].url'`,
    )
    .action(async (query: string[], { page, limit, fold }: SearchCommandOptions) => {
      await using crawl = await open(cli, { name: 'search' });
      const { io } = cli;
      const { search } = await library();
      const result = await search(crawl, query.join(' '), { page, limit, fold, signal: io.signal });
      const { json, quiet } = cli.options();
      await write(io.stdout, json ? jsonLine(result) : searchText(result, { isBold: io.stdout.isTTY === true, limit }));
      if (!json && !quiet) for (const { message } of result.notices) say(io, message);
      if (result.hits.length === 0) cli.exitCode = EXIT.nothing;
    });
}

interface SearchTextOptions {
  readonly isBold: boolean;
  readonly limit: number;
}

const BOLD = '\u001b[1m';
const PLAIN = '\u001b[22m';

function searchText(
  { total, page, pages, hits, didYouMean, isApproximate, seconds }: SearchResult,
  { isBold, limit }: SearchTextOptions,
): string {
  const blocks = hits.map((hit, i) => hitText(hit, (page - 1) * limit + i + 1, isBold));
  const more = page < pages ? `; --page ${page + 1} shows more` : '';
  const place =
    hits.length === 0
      ? total > 0 && page > 1
        ? `, page ${page} has none; there are ${pages}`
        : ''
      : `, page ${page} of ${pages}${more}`;
  const about = isApproximate ? ' (very many: the best of a sample)' : '';
  const foot = `${quantity(total, 'page')} found${about} in ${number(seconds, 2)} s${place}\n`;
  const other = didYouMean === undefined ? '' : `Did you mean: ${oneLine(didYouMean)}\n`;
  return `${blocks.join('')}${foot}${other}`;
}

function hitText({ url, title, snippet, alike, moreFromHost }: SearchHit, place: number, isBold: boolean): string {
  const marked = snippet
    .map(({ text, hit }) => (hit && isBold ? `${BOLD}${oneLine(text)}${PLAIN}` : oneLine(text)))
    .join('');
  const folded = [
    ...(alike === undefined ? [] : [`${quantity(alike, 'page')} nearly the same`]),
    ...(moreFromHost === undefined ? [] : [`${number(moreFromHost)} more of this host`]),
  ];
  const lines = [
    oneLine(title),
    oneLine(url),
    ...(marked === '' ? [] : [marked]),
    ...(folded.length === 0 ? [] : [`(${folded.join(', ')}: --no-fold)`]),
  ];
  const indent = ' '.repeat(String(place).length + 2);
  return `${lines.map((line, i) => `${i === 0 ? `${place}. ` : indent}${line}\n`).join('')}\n`;
}
