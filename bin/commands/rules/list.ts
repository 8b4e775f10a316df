import type { Command } from 'commander';
import type { Rule, RuleList } from '../../../packages/webcrawl/index.js';
import { safeText } from '../../../packages/webcrawl/names.js';
import { library } from '../../library.js';
import { open, type Cli } from '../../cli.js';
import { fittedTable } from '../../output/fitted-table.js';
import { jsonLine, number, safeLines, write } from '../../output/output.js';

/** `rules list`. */
export function addRulesList(program: Command, cli: Cli): void {
  program
    .command('list', { isDefault: true })
    .summary('show all rules, in the order in which they are asked')
    .description('Shows all rules, in the order in which they are asked, with what each has decided.')
    .addHelpText(
      'after',
      `
refused: pages that generate passes over because of the rule; fit: pages that are worth having
because of it; links: links on stored pages that it has cut. While a crawl runs they may be some
seconds old. After a change of useful rules webcrawl rules apply counts them anew from the rows. What
a kill has lost of them, or what was done beside a running apply, webcrawl repair puts right, when
nothing else works on the table.

Examples:
  webcrawl rules list
  webcrawl rules list --json | jq -r '.rules[] | select(.counts.links == 0).id'`,
    )
    .action(async () => {
      await using crawl = await open(cli, { name: 'rules list' });
      const { rules } = await library();
      const found = await rules.list(crawl);
      await write(cli.io.stdout, cli.options().json ? jsonLine(found) : forPeople(found, cli.io.stdout.columns ?? 100));
    });
}

function forPeople({ rules: all, contradictions, broken }: RuleList, columns: number): string {
  if (all.length === 0) return 'No rules. `webcrawl rules add --help` says how to make one.\n';
  const head = ['id', 'kind', 'of', 'refused', 'fit', 'links', 'state', 'pattern'];
  const rows = all.map((rule) => [
    rule.id,
    rule.kind,
    safeText(rule.scope, 40),
    number(rule.counts.refused),
    number(rule.counts.fit),
    number(rule.counts.links),
    `${rule.state === 'active' ? 'active' : 'disabled'}${rule.origin === 'generated' ? ', generated' : ''}`,
    patternOf(rule),
  ]);
  const lines = [
    ...contradictions.map(
      ({ decides, idle }) => `${decides} and ${idle} say the opposite of the same URLs: ${decides} decides.\n`,
    ),
    ...Object.entries(broken).map(([id, why]) => `${id} cannot be used, and is not asked: ${why}\n`),
  ];
  return safeLines(fittedTable([head, ...rows], columns) + lines.join(''));
}

/** What a rule matches, on one line. */
export function patternOf(rule: Rule): string {
  if (rule.kind === 'www') return `${rule.to} www`;
  const { pattern } = rule;
  return safeText('prefix' in pattern ? pattern.prefix : `regex ${pattern.regex}`, 2000);
}
