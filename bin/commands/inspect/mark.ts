import type { Command } from 'commander';
import { CrawlError } from '../../../packages/webcrawl/names.js';
import { library } from '../../library.js';
import { EXIT, open, type Cli } from '../../cli.js';
import { jsonLine, say, write } from '../../output/output.js';
import { table } from '../../output/table.js';

interface Options {
  readonly list?: boolean;
  readonly remove?: boolean;
}

export function addMark(program: Command, cli: Cli): void {
  program
    .command('mark')
    .summary('name this moment, to see later what has changed')
    .description(
      'Names this moment in the table, for webcrawl changes --since <name>. A mark of the same name moves to this moment. Without a name it lists ' +
        'the marks. The first mark ends the baseline: pages that are fetched for the first time after this mark count as new.',
    )
    .argument('[name]', 'name of the mark: a letter, then letters, digits, dots, - and _')
    .option('--list', 'list the marks')
    .option('--remove', 'remove the mark; exits with 1 when no mark has this name')
    .addHelpText(
      'after',
      `
Examples:
  webcrawl mark release-41
  webcrawl mark --list
  webcrawl mark release-40 --remove`,
    )
    .action(async (name: string | undefined, options: Options) => {
      if (name === undefined && options.remove) throw new CrawlError('USAGE', '--remove needs the name of a mark');
      if (name !== undefined && options.list) throw new CrawlError('USAGE', 'a name and --list cannot be combined');
      await using crawl = await open(cli, { name: 'mark' });
      const { mark, marks, unmark } = await library();
      const { json = false, quiet = false } = cli.options();
      if (name === undefined) {
        const found = await marks(crawl);
        if (json) for (const each of found) await write(cli.io.stdout, jsonLine(each));
        else await write(cli.io.stdout, table(found.map(({ name, at }) => [name, new Date(at).toISOString()])));
        if (found.length === 0 && !quiet) say(cli.io, 'There is no mark. webcrawl mark <name> sets one.');
        return;
      }
      if (options.remove) {
        if (await unmark(crawl, name)) return;
        say(cli.io, `There is no mark "${name}".`);
        cli.exitCode = EXIT.nothing;
        return;
      }
      const made = await mark(crawl, name);
      if (json) await write(cli.io.stdout, jsonLine(made));
      else if (!quiet) say(cli.io, `Marked: webcrawl changes --since ${made.name} shows what is found from now on.`);
    });
}
