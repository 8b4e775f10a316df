import type { Command } from 'commander';
import type { Rule, RuleList, RulePoint } from '../../../packages/webcrawl/internal.js';
import { safeText } from '../../../packages/webcrawl/names.js';
import { library } from '../../library.js';
import { open, type Cli } from '../../cli.js';
import { jsonLine, lineWidth, number, safeLines, write } from '../../output/output.js';
import { table } from '../../output/table.js';
import { withProgress } from '../../output/progress.js';

export function addRulesList(program: Command, cli: Cli): void {
  program
    .command('list', { isDefault: true })
    .summary('show all rules, in order of evaluation')
    .description('Shows all rules, in order of evaluation, each with its counts from the last count of the rows.')
    .option('--counts', 'count the rows first; this reads the whole table')
    .addHelpText(
      'after',
      `
Columns: refused, pages that generate skips because of the rule; relevant, pages that are relevant because of the rule;
links, links on stored pages that the rule rejects. The line below the table shows the time of the last count, by
--counts or by webcrawl rules report.

Examples:
  webcrawl rules list`,
    )
    .action(async ({ counts = false }: { counts?: boolean }) => {
      await using crawl = await open(cli, { name: 'rules list' });
      const { rules } = await library();
      const { json = false, quiet = false } = cli.options();
      if (counts) await withProgress(cli, quiet || json, (job) => rules.count(crawl, job));
      const found = await rules.list(crawl);
      await write(cli.io.stdout, json ? jsonLine(found) : forPeople(found, lineWidth(cli.io)));
    });
}

function forPeople({ rules: all, contradictions, broken }: RuleList, columns: number): string {
  if (all.length === 0) return 'No rules. `webcrawl rules add --help` tells how to add one.\n';
  const head = ['id', 'kind', 'of', 'refused', 'relevant', 'links', 'state', 'pattern'];
  const rows = all.map((rule) => [
    rule.id,
    rule.kind,
    safeText(rule.scope, 40),
    ...countsOf(rule.counts),
    `${rule.state === 'active' ? 'active' : 'disabled'}${rule.origin === 'generated' ? ', generated' : ''}`,
    patternOf(rule),
  ]);
  const lines = [
    countedText(all.map(({ counts }) => counts)),
    ...contradictions.map(
      ({ decides, idle }) => `${decides} and ${idle} contradict each other on the same URLs: ${decides} decides.\n`,
    ),
    ...Object.entries(broken).map(([id, why]) => `${id} cannot be used, and is ignored: ${why}\n`),
  ];
  return table([head, ...rows], { columns }) + safeLines(lines.join(''));
}

const countsOf = (counts: RulePoint | undefined): string[] =>
  counts ? [counts.refused, counts.relevant, counts.links].map((n) => number(n)) : ['', '', ''];

function countedText(counts: readonly (RulePoint | undefined)[]): string {
  const at = Math.max(...counts.map((each) => each?.at ?? -Infinity));
  if (!Number.isFinite(at)) return 'Not counted yet: `webcrawl rules list --counts` counts the rows.\n';
  return `Counted as of ${new Date(at).toISOString()}.\n`;
}

export function patternOf(rule: Rule): string {
  if (rule.kind === 'www') return `${rule.to} www`;
  const { pattern } = rule;
  return safeText('prefix' in pattern ? pattern.prefix : `regex ${pattern.regex}`, 2000);
}
