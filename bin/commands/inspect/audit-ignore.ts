import { Option, type Command } from 'commander';
import { defined } from '../../../packages/webcrawl/names.js';
import { EXIT, open, type Cli } from '../../cli.js';
import { library } from '../../library.js';
import { comingMoment } from '../../options/moment.js';
import { jsonLine, safeLines, say, write } from '../../output/output.js';
import { table } from '../../output/table.js';

interface IgnoreOptions {
  readonly rel?: Rel;
  readonly until?: number;
  readonly why?: string;
}

type Rel = 'nofollow' | 'ugc' | 'sponsored';

const relOption = (what: string): Option => new Option('--rel <rel>', what).choices(['nofollow', 'ugc', 'sponsored']);

export function addAuditIgnore(audit: Command, cli: Cli): void {
  audit
    .command('ignore')
    .summary('leave findings out of reports')
    .description(
      'Leaves findings out of later reports: those of the given rule whose URL matches the given URL. The table stores this decision.',
    )
    .argument('<rule>', 'id of a rule, a group of rules, or * for all')
    .argument('<url>', 'URL of the findings; * matches any text')
    .addOption(relOption('only findings whose links all have this rel'))
    .option('--why <text>', 'reason, shown in the list')
    .option('--until <time>', 'time from which the findings are reported again', comingMoment)
    .addHelpText(
      'after',
      `\nExamples:\n  webcrawl audit ignore link-broken 'https://example.com/old/*' --why 'archive'\n  webcrawl audit ignore broken '*' --rel ugc`,
    )
    .action(async (rule: string, url: string, { rel, until, why }: IgnoreOptions) => {
      const { ignoreFindings } = await library();
      await using crawl = await open(cli, { name: 'audit', alone: true });
      await ignoreFindings(crawl, { rule, url, ...defined({ rel, until, why }) });
    });
  audit
    .command('ignored')
    .summary('list the findings that reports leave out')
    .description('Lists the entries of audit ignore.')
    .addHelpText('after', '\nExamples:\n  webcrawl audit ignored --json')
    .action(async () => {
      const { ignoreRules } = await library();
      await using crawl = await open(cli, { name: 'audit' });
      const rules = await ignoreRules(crawl);
      if (cli.options().json) {
        for (const rule of rules) await write(cli.io.stdout, jsonLine(rule));
        return;
      }
      const rows = rules.map(({ rule, url, rel, until, why = '' }) => [
        rule,
        url,
        rel === undefined ? '' : `rel=${rel}`,
        until === undefined ? '' : `until ${new Date(until).toISOString().slice(0, 10)}`,
        why,
      ]);
      await write(cli.io.stdout, table(rows));
    });
  audit
    .command('unignore')
    .summary('report ignored findings again')
    .description('Removes an entry of audit ignore, so that later reports have its findings again.')
    .argument('<rule>', 'rule, as given to audit ignore')
    .argument('<url>', 'URL, as given to audit ignore')
    .addOption(relOption('rel, as given to audit ignore'))
    .addHelpText('after', `\nExamples:\n  webcrawl audit unignore link-broken 'https://example.com/old/*'`)
    .action(async (rule: string, url: string, { rel }: Pick<IgnoreOptions, 'rel'>) => {
      const { tellFindings } = await library();
      await using crawl = await open(cli, { name: 'audit', alone: true });
      if (await tellFindings(crawl, rule, url, rel)) return;
      say(
        cli.io,
        `No entry of audit ignore has ${safeLines(`${rule} ${url}${rel === undefined ? '' : ` with rel=${rel}`}`)}.`,
      );
      cli.exitCode = EXIT.nothing;
    });
}
