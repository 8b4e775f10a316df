import type { Command } from 'commander';
import type { RuleEffect } from '../../../packages/webcrawl/internal.js';
import { library } from '../../library.js';
import { EXIT, open, type Cli } from '../../cli.js';
import { jsonLine, number, write } from '../../output/output.js';
import { table } from '../../output/table.js';
import { addRuleOptions, ruleOf, type RuleOptions } from './rule-options.js';

export function addRulesTest(program: Command, cli: Cli): void {
  addRuleOptions(program.command('test'))
    .summary('show what a rule would do, without adding it')
    .description(
      'Reads the rows of the hosts of a rule, and shows how many it would decide on. Exits with 1 when it would reject a seed or every page.',
    )
    .addHelpText(
      'after',
      `
Examples:
  webcrawl rules test reject /tag/ --host www.news.example
  webcrawl rules test relevant '/20\\d\\d/\\d\\d/[^/?]+$' --regex`,
    )
    .action(async (kind: string, pattern: string, options: RuleOptions) => {
      const rule = ruleOf(kind, pattern, options);
      await using crawl = await open(cli, { name: 'rules test' });
      const { rules } = await library();
      const effect = await rules.test(crawl, rule, { signal: cli.io.signal });
      await write(cli.io.stdout, cli.options().json ? jsonLine(effect) : forPeople(effect));
      if (effect.interrupted) cli.exitCode = EXIT.interrupted;
      else if (effect.seeds > 0 || effect.rejectsAll) cli.exitCode = EXIT.nothing;
    });
}

function forPeople(effect: RuleEffect): string {
  const rows = [
    ['rows looked at', number(effect.rows)],
    ['it decides on', number(effect.decides)],
    ['rejected by it', number(effect.rejected)],
    ['  relevant', number(effect.rejectedRelevant)],
    ['  seeds', number(effect.seeds)],
    ['accepted by it', number(effect.letIn)],
    ['newly relevant', number(effect.relevant)],
    ...effect.seedUrls.map((url) => ['seed rejected', url]),
    ...effect.examples.map((url) => ['for instance', url]),
    ...(effect.rejectsAll ? [['warning', 'it would reject every page']] : []),
    ...(effect.contradictions.length > 0 ? [['warning', contradictionText(effect)]] : []),
    ...(effect.interrupted ? [['stopped', 'these are the figures of the rows so far']] : []),
  ];
  return table(rows);
}

/** Calls the tested rule "it", because this rule has no id. */
function contradictionText({ contradictions: [first] }: RuleEffect): string {
  const other = first!.decides ?? first!.idle ?? '';
  const who =
    first!.decides === other ? `${other} decides, and it has no effect` : `it decides, and ${other} has no effect`;
  return `${other} contradicts it on the same URLs: ${who}`;
}
