import type { Command } from 'commander';
import type { AddedRules } from '../../../packages/webcrawl/internal.js';
import { describeRule } from '../../../packages/webcrawl/names.js';
import { library } from '../../library.js';
import { EXIT, open, type Cli } from '../../cli.js';
import { jsonLine, say, write } from '../../output/output.js';
import { addRuleOptions, ruleOf, type RuleOptions } from './rule-options.js';

interface AddOptions extends RuleOptions {
  readonly note?: string;
  readonly yes?: boolean;
}

export function addRulesAdd(program: Command, cli: Cli): void {
  addRuleOptions(program.command('add'))
    .summary('add a rule')
    .description('Adds a rule and prints its id. Exits with 1 when the same rule exists already.')
    .option('--note <text>', 'reason, for later readers')
    .option('--yes', 'add the rule even if it rejects a seed, or every page of the table')
    .addHelpText(
      'after',
      `
Before a reject rule is added, the rows of its hosts are counted. If it would reject a seed, or every page, it
needs --yes (RULE_DANGER). A rule of kind relevant or www applies to new pages at once. webcrawl rules apply
applies the rule to pages that are already in the table. With --regex, end the pattern of a relevant rule with $.
Without the $, the same address with a query such as ?session=17 matches too.

Examples:
  webcrawl rules add relevant '/20\\d\\d/\\d\\d/[^/?]+$' --regex \\
      --domain news.example
  webcrawl rules add reject /tag/ --host www.news.example \\
      --note 'the same articles again'
  webcrawl rules add reject '[?&]sessionid=' --regex
  webcrawl rules add www without --domain news.example`,
    )
    .action(async (kind: string, pattern: string, { note, yes = false, ...options }: AddOptions) => {
      const rule = { ...ruleOf(kind, pattern, options), ...(note !== undefined && { note }) };
      await using crawl = await open(cli, { name: 'rules add', create: true });
      const { rules } = await library();
      const added = await rules.add(crawl, rule, { yes });
      await showAdded(cli, added);
      if (added.added.length === 0) cli.exitCode = EXIT.nothing;
    });
}

const NOT_MOVED =
  'Known pages under the other form are no longer fetched. `webcrawl rules apply` moves them to the form of the rule, and so does the next crawl.';

/**
 * Prints the ids of the added rules, and remarks on them.
 * @param ofWww the message on pages that a `www` rule moves to its form of the host
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
      `${decides} and ${idle} contradict each other on the same URLs: ${decides} decides, and ${idle} has no effect.`,
    );
  }
  const active = added.filter(({ state }) => state === 'active');
  if (active.some(({ kind }) => kind === 'www')) {
    say(cli.io, ofWww);
  } else if (active.some(({ kind }) => kind === 'relevant')) {
    say(cli.io, '`webcrawl rules apply` marks the pages that are already known.');
  }
}
