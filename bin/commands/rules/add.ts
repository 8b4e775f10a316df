import type { Command } from 'commander';
import type { AddedRules } from '../../../packages/webcrawl/index.js';
import { describeRule } from '../../../packages/webcrawl/names.js';
import { library } from '../../library.js';
import { EXIT, open, type Cli } from '../../cli.js';
import { jsonLine, say, write } from '../../output/output.js';
import { addRuleOptions, ruleOf, type RuleOptions } from './rule-options.js';

interface AddOptions extends RuleOptions {
  readonly note?: string;
  readonly yes?: boolean;
}

/** `rules add <kind> <pattern>`. */
export function addRulesAdd(program: Command, cli: Cli): void {
  addRuleOptions(program.command('add'))
    .summary('add a rule')
    .description('Adds a rule and prints its id. Exits with 1 when there is such a rule already.')
    .option('--note <text>', 'why, for those who read it later')
    .option('--yes', 'also where the rule cuts a seed, or every page of the table')
    .addHelpText(
      'after',
      `
Before a rule is added that rejects, the rows of its hosts are counted: where it would cut a seed, or
every page, nothing is added without --yes (RULE_DANGER). A rule on usefulness or www holds for new
pages at once; webcrawl rules apply brings it to the pages that are known already. A pattern of useful
URLs should end in $: without it the same pages with a session or a filter in their query are useful too.

Examples:
  webcrawl rules add useful '/20\\d\\d/\\d\\d/[^/?]+$' --regex --domain news.example
  webcrawl rules add reject /tag/ --host www.news.example --note 'the same articles again'
  webcrawl rules add reject '[?&]sessionid=' --regex
  webcrawl rules add www without --domain news.example`,
    )
    .action(async (kind: string, pattern: string, { note, yes = false, ...options }: AddOptions) => {
      const rule = { ...ruleOf(kind, pattern, options), ...(note !== undefined && { note }) };
      await using crawl = await open(cli, { name: 'rules add' });
      const { rules } = await library();
      const added = await rules.add(crawl, rule, { yes });
      await showAdded(cli, added);
      if (added.added.length === 0) cli.exitCode = EXIT.nothing;
    });
}

const NOT_MOVED =
  'Pages that are known under the other form are not fetched any more; `webcrawl rules apply` brings them over, and the next crawl does.';

/**
 * Prints the ids, and what one should know of them.
 * @param ofWww what became of the pages that a rule on www writes otherwise
 */
export async function showAdded(
  cli: Cli,
  { added, known, contradictions }: AddedRules,
  ofWww: string = NOT_MOVED,
): Promise<void> {
  const { json, quiet } = cli.options();
  if (json) return write(cli.io.stdout, jsonLine({ added, known, contradictions }));
  for (const { id } of added) await write(cli.io.stdout, `${id}\n`);
  if (quiet) return;
  for (const rule of known) {
    const state = rule.state === 'disabled' ? `, disabled: \`webcrawl rules enable ${rule.id}\` makes it active` : '';
    say(cli.io, `There already: ${rule.id} (${describeRule(rule)}${state})`);
  }
  for (const { decides, idle } of contradictions) {
    say(
      cli.io,
      `${decides} and ${idle} say the opposite of the same URLs: ${decides} decides, and ${idle} never does.`,
    );
  }
  const active = added.filter(({ state }) => state === 'active');
  if (active.some(({ kind }) => kind === 'www')) {
    say(cli.io, ofWww);
  } else if (active.some(({ kind }) => kind === 'useful')) {
    say(cli.io, '`webcrawl rules apply` marks the pages that are known already.');
  }
}
