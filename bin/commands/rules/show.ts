import type { Command } from 'commander';
import type { ListedRule } from '../../../packages/webcrawl/index.js';
import { describeRule } from '../../../packages/webcrawl/names.js';
import { library } from '../../library.js';
import { open, type Cli } from '../../cli.js';
import { jsonLine, number, oneLine, table, write } from '../../output/output.js';

/** `rules show <id>`. */
export function addRulesShow(program: Command, cli: Cli): void {
  program
    .command('show')
    .summary('show all that is known of a rule')
    .description('Shows a rule, whence it comes, and what it has decided.')
    .argument('<id>', 'its id, as webcrawl rules list shows it')
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
    ['pages refused', number(counts.refused)],
    ['pages worth having', number(counts.fit)],
    ['links cut', number(counts.links)],
    ...(note === undefined ? [] : [['note', note]]),
    ...(evidence === undefined ? [] : [['evidence', JSON.stringify(evidence)]]),
  ];
  return table(rows.map((row) => row.map(oneLine)));
}
