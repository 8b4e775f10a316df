import type { Command } from 'commander';
import type { ListedRule } from '../../../packages/webcrawl/internal.js';
import { describeRule } from '../../../packages/webcrawl/names.js';
import { library } from '../../library.js';
import { open, type Cli } from '../../cli.js';
import { jsonLine, number, write } from '../../output/output.js';
import { table } from '../../output/table.js';

export function addRulesShow(program: Command, cli: Cli): void {
  program
    .command('show')
    .summary('show one rule with its counts')
    .description('Shows a rule, its origin, and its counts from the last count of the rows.')
    .argument('<id>', 'id of the rule, as webcrawl rules list shows it')
    .addHelpText('after', '\nExamples:\n  webcrawl rules show r3\n  webcrawl rules show r3 --json')
    .action(async (id: string) => {
      await using crawl = await open(cli, { name: 'rules show' });
      const { rules } = await library();
      const rule = await rules.show(crawl, id);
      await write(cli.io.stdout, cli.options().json ? jsonLine(rule) : forPeople(rule));
    });
}

function forPeople(rule: ListedRule): string {
  const { counts, evidence, note } = rule;
  const rows = [
    ['rule', `${rule.id}: ${describeRule(rule)}`],
    ['state', rule.state],
    ['origin', rule.origin === 'generated' ? 'generated' : 'by hand'],
    ['created', new Date(rule.createdAt).toISOString()],
    ['changed', new Date(rule.changedAt).toISOString()],
    ...(counts
      ? [
          ['counted as of', new Date(counts.at).toISOString()],
          ['pages refused', number(counts.refused)],
          ['relevant pages', number(counts.relevant)],
          ['links rejected', number(counts.links)],
        ]
      : [['counted', 'not yet: `webcrawl rules list --counts` counts the rows']]),
    ...(note === undefined ? [] : [['note', note]]),
    ...(evidence === undefined ? [] : [['evidence', JSON.stringify(evidence)]]),
  ];
  return table(rows);
}
