import type { Command } from 'commander';
import { library } from '../../library.js';
import { EXIT, open, type Cli } from '../../cli.js';
import { explanationText } from '../../output/explanation-text.js';
import { jsonLine, write } from '../../output/output.js';

/** `explain <url>`: all that is known of one URL, and what happens next. */
export function addExplain(program: Command, cli: Cli): void {
  program
    .command('explain')
    .summary('say why a page was or was not fetched, and what happens next')
    .description(
      'Shows all that is known of a URL: its normalised form, each rule and its verdict, what robots.txt says, the row in ' +
        'the table, where it was found, and what happens next and why. Nothing is changed. Exits with 1 when the table ' +
        'has no such page.',
    )
    .argument('<url>', 'a URL, which is normalised as a seed would be')
    .option('--robots', 'fetch robots.txt now, in place of the stored record (and look up the host, by IP)')
    .addHelpText(
      'after',
      `
Examples:
  webcrawl explain https://example.com/about
  webcrawl explain https://example.com/about --robots
  webcrawl explain https://example.com/about --json | jq -r .next.text`,
    )
    .action(async (url: string, { robots = false }: { robots?: boolean }) => {
      await using crawl = await open(cli, { name: 'explain' });
      const { explain } = await library();
      const explanation = await explain(crawl, url, { robots });
      const { json } = cli.options();
      await write(cli.io.stdout, json ? jsonLine(explanation) : explanationText(explanation));
      if (!explanation.page) cli.exitCode = EXIT.nothing;
    });
}
