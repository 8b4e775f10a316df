import type { Command } from 'commander';
import { CrawlError } from '../../../packages/webcrawl/names.js';
import { library } from '../../library.js';
import { EXIT, open, type Cli } from '../../cli.js';
import { isSite } from '../../input/seeds.js';
import { explanationText } from '../../output/explanation-text.js';
import { jsonLine, oneLine, write } from '../../output/output.js';

export function addExplain(program: Command, cli: Cli): void {
  program
    .command('explain')
    .summary('explain why a page was or was not fetched')
    .description(
      'Shows everything that is known about a URL: its normalised form, the verdict of each rule and of robots.txt, the row in ' +
        'the table, the pages that link to it, and what happens next and why. Nothing is changed. Exits with 1 when the table ' +
        'has no such page.',
    )
    .argument(
      '[url]',
      'URL of the page, normalised like a seed; without a scheme, https or else http, as the table has it',
    )
    .option('--host <host>', 'explain, instead of a URL, why this host is slow, and how long its due pages take')
    .option(
      '--robots',
      'fetch robots.txt now instead of reading the stored file (if partition.urlMode is ip, also look up the host)',
    )
    .addHelpText(
      'after',
      `
Examples:
  webcrawl explain https://example.com/about
  webcrawl explain https://example.com/about --robots
  webcrawl explain https://example.com/about --json | jq -r .next.text
  webcrawl explain --host example.com`,
    )
    .action(async (url: string | undefined, { robots = false, host }: { robots?: boolean; host?: string }) => {
      if ((url === undefined) === (host === undefined)) {
        throw new CrawlError(
          'USAGE',
          url === undefined ? 'no URL and no --host' : 'a URL and --host cannot be combined',
        );
      }
      if (host !== undefined && robots) throw new CrawlError('USAGE', '--robots needs a URL');
      if (url === undefined) return explainTheHost(cli, host!);
      await using crawl = await open(cli, { name: 'explain' });
      const { explain } = await library();
      const explainAs = (scheme: string) => explain(crawl, `${scheme}${url}`, { robots });
      let explanation = await explainAs(isSite(url) ? 'https://' : '');
      if (!explanation.page && isSite(url)) {
        const byHttp = await explainAs('http://');
        if (byHttp.page) explanation = byHttp;
      }
      const { json } = cli.options();
      await write(cli.io.stdout, json ? jsonLine(explanation) : explanationText(explanation));
      if (!explanation.page) cli.exitCode = EXIT.nothing;
    });
}

async function explainTheHost(cli: Cli, host: string): Promise<void> {
  await using crawl = await open(cli, { name: 'explain' });
  const { explainHost } = await library();
  const found = await explainHost(crawl, host);
  const text = `${oneLine(found.host)}\n\n${found.text.map((line) => `${oneLine(line)}\n`).join('')}`;
  await write(cli.io.stdout, cli.options().json ? jsonLine(found) : text);
  if (!found.figures) cli.exitCode = EXIT.nothing;
}
