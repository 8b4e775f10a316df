import type { Command } from 'commander';
import { MAX_HITS } from '../../../packages/webcrawl/names.js';
import { library } from '../../library.js';
import { EXIT, open, type Cli } from '../../cli.js';
import { wholeNumber } from '../../options/arguments.js';
import { jsonLine, say, write } from '../../output/output.js';
import { searchText } from '../../output/search-text.js';

interface SearchCommandOptions {
  readonly page: number;
  readonly limit: number;
  readonly fold: boolean;
}

/** `search <query…>`: pages by their words, the best first. */
export function addSearch(program: Command, cli: Cli): void {
  program
    .command('search')
    .summary('find pages by their words')
    .description(
      'Finds the pages that hold all words of a query, the best first; where there are none, those that hold some. It goes by the search index, which webcrawl index ' +
        'makes and keeps up to date, and works while another process has the table open. Exits with 1 when nothing is found.',
    )
    .argument('<query...>', 'words, "phrases" and operators; put -- before a query that begins with -')
    .option('--page <n>', 'which page of the hits', wholeNumber(1), 1)
    .option('--limit <n>', `hits a page, at most ${MAX_HITS}`, wholeNumber(1), 10)
    .option('--no-fold', 'show pages with nearly the same text, and more than two of a host')
    .addHelpText(
      'after',
      `
A query:
  crawler engine        both words, in any of their forms
  "link graph"          side by side
  -draft                not this word; also before "…", site:, inurl:, intitle: and lang:
  site:example.com      a domain with all hosts below it; site:example.com/docs what begins so
  intitle:guide         in the title; inurl:docs in the URL
  lang:zh               the language of the page
  after:2026-01         last changed then or later; before:2026 earlier; a year, month or day, UTC

The best ${MAX_HITS} pages can be seen. Pages with nearly the same text are folded, and so is what is more
than two of a host, where enough other pages are left.

With --json one object: total, page, pages, hits (url, title, snippet, language, fetchedAt,
modifiedTime, score, rank, alike, moreFromHost, hostQuery), didYouMean, notices (code, message),
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
