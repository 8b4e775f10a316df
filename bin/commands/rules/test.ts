import type { Command } from 'commander';
import type { RuleEffect } from '../../../packages/webcrawl/index.js';
import { library } from '../../library.js';
import { EXIT, open, type Cli } from '../../cli.js';
import { jsonLine, number, oneLine, table, write } from '../../output/output.js';
import { addRuleOptions, ruleOf, type RuleOptions } from './rule-options.js';

/** `rules test <kind> <pattern>`. */
export function addRulesTest(program: Command, cli: Cli): void {
  addRuleOptions(program.command('test'))
    .summary('say what a rule would do, and add none')
    .description(
      'Reads the rows of the hosts that a rule is of, and says on how many it would decide. Exits with 1 when it would cut a seed or every page.',
    )
    .addHelpText(
      'after',
      `
Examples:
  webcrawl rules test reject /tag/ --host www.news.example
  webcrawl rules test useful '/20\\d\\d/\\d\\d/[^/?]+$' --regex`,
    )
    .action(async (kind: string, pattern: string, options: RuleOptions) => {
      const rule = ruleOf(kind, pattern, options);
      await using crawl = await open(cli, { name: 'rules test' });
      const { rules } = await library();
      const effect = await rules.test(crawl, rule, { signal: cli.io.signal });
      await write(cli.io.stdout, cli.options().json ? jsonLine(effect) : forPeople(effect));
      if (effect.interrupted) cli.exitCode = EXIT.interrupted;
      else if (effect.seeds > 0 || effect.cutsAll) cli.exitCode = EXIT.nothing;
    });
}

function forPeople(effect: RuleEffect): string {
  const rows = [
    ['rows looked at', number(effect.rows)],
    ['it decides on', number(effect.decides)],
    ['cut by it', number(effect.cut)],
    ['  worth having', number(effect.cutFit)],
    ['  seeds', number(effect.seeds)],
    ['let in by it', number(effect.letIn)],
    ['newly worth having', number(effect.fit)],
    ...effect.seedUrls.map((url) => ['seed cut', url]),
    ...effect.examples.map((url) => ['for instance', url]),
    ...(effect.cutsAll ? [['beware', 'no page would be left']] : []),
    ...(effect.contradictions.length > 0 ? [['beware', contradictionText(effect)]] : []),
    ...(effect.interrupted ? [['stopped', 'these are the figures of the rows so far']] : []),
  ];
  return table(rows.map((row) => row.map(oneLine)));
}

/** The rule that is tested has no id. */
function contradictionText({ contradictions: [first] }: RuleEffect): string {
  const other = first!.decides ?? first!.idle ?? '';
  const who =
    first!.decides === other ? `${other} decides, and it never would` : `it would decide, and ${other} never does`;
  return `${other} says the opposite of the same URLs: ${who}`;
}
