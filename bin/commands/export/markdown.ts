import type { Command } from 'commander';
import { safeText } from '../../../packages/webcrawl/names.js';
import { EXIT, openWithoutTable, type Cli } from '../../cli.js';
import { urlOf } from '../../input/seeds.js';
import { library } from '../../library.js';
import { addRequestOptions, requestSettings, type RequestOptions } from '../../options/request-options.js';
import { jsonLine, safeLines, say, write } from '../../output/output.js';

export function addMarkdown(program: Command, cli: Cli): void {
  const command = program
    .command('markdown')
    .summary('print one page as Markdown')
    .description('Fetches a page as a crawl does, and prints its main content as Markdown. It needs no table.')
    .argument('<url>', 'URL of the page; without a scheme, https is tried first, then http');
  addRequestOptions(command)
    .addHelpText(
      'after',
      `
robots.txt, the delay of the host, the address guard and the limits of a crawl apply, also to redirects. Of a PDF or
another document it prints the text.

With --json it prints one object: url, title, language, publishedAt, statedModifiedAt (ms since the epoch), links (url, anchor),
markdown, truncated; or url, code, http and message if there is no page.

Exit status: 1 if there is no Markdown of the page, and 75 if a later attempt may succeed. The message has the code:
robots_denied, not_found, unsupported_type (neither a page nor a document), needs_scripts (an empty shell that
scripts fill) or another code of docs/REFERENCE.md.

Examples:
  webcrawl markdown https://example.com/
  webcrawl markdown example.com/guide --json | jq -r .title
  webcrawl markdown https://example.com/report.pdf > report.md`,
    )
    .action(async (named: string, requests: RequestOptions) => {
      const { io } = cli;
      const settings = requestSettings(requests);
      const url = await urlOf(cli, named, settings);
      await using context = await openWithoutTable(cli, settings);
      const { pageMarkdown } = await library();
      const page = await pageMarkdown(await context.requesting(url), url, { signal: io.signal });
      if (cli.options().json) await write(io.stdout, jsonLine(page));
      else if (page.kind === 'page') await write(io.stdout, `${safeLines(page.markdown.trimEnd(), Infinity)}\n`);
      if (page.kind === 'page') {
        if (page.truncated) say(io, 'The page is incomplete: it was longer than http.contentLimit, or ended early.');
        return;
      }
      const status = page.http === undefined ? '' : `HTTP ${page.http}`;
      say(io, `error [${page.code}]: ${safeText(page.url)}: ${page.message || status || page.code}`);
      cli.exitCode = page.isTemporary ? EXIT.tryAgain : EXIT.nothing;
    });
}
