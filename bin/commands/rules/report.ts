import type { Command } from 'commander';
import type { RuleReport, Worth } from '../../../packages/webcrawl/index.js';
import { describeRule, safeText } from '../../../packages/webcrawl/names.js';
import { library } from '../../library.js';
import { EXIT, open, type Cli } from '../../cli.js';
import { fittedTable } from '../../output/fitted-table.js';
import { jsonLine, number, oneLine, quantity, say, write } from '../../output/output.js';
import { progressDisplay } from '../../output/progress.js';
import { patternOf } from './list.js';

/** `rules report`. */
export function addRulesReport(program: Command, cli: Cli): void {
  program
    .command('report')
    .summary('show what each rule cut or let through, and what the pages were worth')
    .description(
      'Reads the table once, and shows on which pages each rule decides, what it cut or let through, and how many of the pages fetched are worth having. It changes nothing.',
    )
    .addHelpText(
      'after',
      `
pages: those on which the rule decides by the rules of now; useful: of these, those that a rule of kind
useful matches; passed over: those that generate has refused because of the rule; links cut: links on stored pages
that it has cut; let in: of an accept rule, pages that a reject rule would refuse without it.
before, since: of the pages of the rule's hosts, how many were useful of those last fetched before it came to
hold, and of those fetched since.

Examples:
  webcrawl rules report
  webcrawl rules report --json | jq '.domains[] | select(.fetched > 100 and .usefulFetched == 0).domain'`,
    )
    .action(async () => {
      await using crawl = await open(cli, { name: 'rules report' });
      const { json, quiet } = cli.options();
      const display = quiet || json ? undefined : progressDisplay(cli.io.stderr);
      let report: RuleReport;
      try {
        const { rules } = await library();
        report = await rules.report(crawl, {
          signal: cli.io.signal,
          ...(display && { onProgress: (progress) => display.show(progress) }),
        });
      } finally {
        display?.end();
      }
      await write(cli.io.stdout, json ? jsonLine(report) : forPeople(report, cli.io.stdout.columns ?? 100));
      if (report.interrupted) {
        if (!quiet) say(cli.io, 'Stopped as asked: these are the figures of the rows so far.');
        cli.exitCode = EXIT.interrupted;
      } else if (!quiet && report.stale > 0) {
        say(
          cli.io,
          `Marked otherwise than the rules of now say: ${quantity(report.stale, 'page')}. \`webcrawl rules apply\` brings them up to date.`,
        );
      }
    });
}

/** Domains that are shown. */
const SHOWN = 20;

/** As a table for a terminal of so many columns. */
function forPeople({ all, rules: found, domains, otherDomains, hasUseful }: RuleReport, columns: number): string {
  const parts = [worthText(all, hasUseful)];
  if (found.length > 0) {
    const head = ['rule', 'kind', 'pages', 'useful', 'passed over', 'links cut', 'let in', 'pattern'];
    const rows = found.map(({ rule, counts, decides, passed }) => [
      rule.id,
      `${rule.kind}${rule.state === 'disabled' ? ', disabled' : ''}`,
      number(decides.rows),
      shown(hasUseful, decides.useful),
      cutsOf(rule.kind, counts.refused),
      cutsOf(rule.kind, counts.links),
      passed ? number(passed.rows) : '',
      patternOf(rule),
    ]);
    parts.push(`\nWhat each rule decided on\n${fittedTable([head, ...rows], columns)}`);
  }
  const active = found.filter(({ rule }) => rule.state === 'active');
  const useful = active.filter(({ rule }) => rule.kind === 'useful');
  if (useful.length > 0) {
    const head = ['rule', 'matches', 'marked', 'fetched', 'waiting', 'cut', 'pattern'];
    const rows = useful.map(({ rule, counts, decides }) => [
      rule.id,
      number(decides.rows),
      number(counts.fit),
      number(decides.usefulFetched),
      number(decides.usefulWaiting),
      number(decides.usefulCut),
      patternOf(rule),
    ]);
    parts.push(`\nUseful pages\n${fittedTable([head, ...rows], columns)}`);
  }
  if (!hasUseful) return parts.join('');
  const since = active.filter(({ before, since: after }) => before.fetched + after.fetched > 0);
  if (since.length > 0) {
    const head = ['rule', 'fetched before', 'useful', 'fetched since', 'useful', 'what it says'];
    const rows = since.map(({ rule, before, since: after }) => [
      rule.id,
      number(before.fetched),
      share(before.useful, before.fetched),
      number(after.fetched),
      share(after.useful, after.fetched),
      oneLine(describeRule(rule)),
    ]);
    parts.push(`\nPages of its hosts, before a rule came to hold and since\n${fittedTable([head, ...rows], columns)}`);
  }
  if (domains.length > 0) {
    const head = ['fetched', 'useful', 'share', 'waiting', 'cut', 'domain'];
    const cells = (worth: Worth, name: string): string[] => [
      number(worth.fetched),
      number(worth.usefulFetched),
      share(worth.usefulFetched, worth.fetched),
      number(worth.usefulWaiting),
      number(worth.usefulCut),
      name,
    ];
    const rows = domains.slice(0, SHOWN).map((each) => cells(each, safeText(each.domain, 200)));
    const left = domains.length - rows.length + (otherDomains?.domains ?? 0);
    const more = left > 0 ? `and ${quantity(left, 'more domain')}\n` : '';
    parts.push(`\nPages by domain\n${fittedTable([head, ...rows], columns)}${more}`);
  }
  return parts.join('');
}

function worthText(
  { rows, fetched, useful, usefulFetched, usefulWaiting, usefulCut }: Worth,
  hasUseful: boolean,
): string {
  const known = `${quantity(rows, 'page')} known, ${number(fetched)} fetched`;
  if (!hasUseful) return `${known}. No rule says what is useful: \`webcrawl rules add useful\` makes one.\n`;
  return (
    `${known}, of these ${number(usefulFetched)} useful (${share(usefulFetched, fetched) || 'none'}).\n` +
    `${quantity(useful, 'useful page')} known: ${number(usefulWaiting)} not fetched yet, ${number(usefulCut)} cut by a rule.\n`
  );
}

const shown = (isKnown: boolean, n: number): string => (isKnown ? number(n) : '');
const cutsOf = (kind: string, n: number): string => (kind === 'reject' || kind === 'www' || n > 0 ? number(n) : '');

/** `37.5 %`; nothing of nothing. */
function share(part: number, whole: number): string {
  return whole > 0 ? `${number((100 * part) / whole, 1)} %` : '';
}
