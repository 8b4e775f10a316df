import type { Command } from 'commander';
import type { RuleReport, Worth } from '../../../packages/webcrawl/internal.js';
import { describeRule, safeText } from '../../../packages/webcrawl/names.js';
import { library } from '../../library.js';
import { EXIT, open, type Cli } from '../../cli.js';
import { jsonLine, lineWidth, number, oneLine, quantity, say, write } from '../../output/output.js';
import { table } from '../../output/table.js';
import { withProgress } from '../../output/progress.js';
import { patternOf } from './list.js';

export function addRulesReport(program: Command, cli: Cli): void {
  program
    .command('report')
    .summary('show which pages each rule rejects or accepts, and how many are relevant')
    .description(
      'Reads the table once, and shows for each rule the pages that it decides on, rejects or accepts, and how many of the fetched pages are relevant. It stores its counts for webcrawl rules list, and changes nothing else.',
    )
    .addHelpText(
      'after',
      `
Columns:
  pages           pages that the rule decides on now
  relevant        pages among them that a rule of kind relevant matches
  passed over     pages that generate has skipped because of the rule
  links rejected  links on stored pages that it has rejected
  let in          for an accept rule: pages that a reject rule would reject without it
  before, since   the share of relevant pages on the hosts of the rule, among pages last fetched before the rule
                  was active, and among pages fetched since

Examples:
  webcrawl rules report`,
    )
    .action(async () => {
      await using crawl = await open(cli, { name: 'rules report' });
      const { json = false, quiet = false } = cli.options();
      const { rules } = await library();
      const report = await withProgress(cli, quiet || json, (job) => rules.report(crawl, job));
      await write(cli.io.stdout, json ? jsonLine(report) : forPeople(report, lineWidth(cli.io)));
      if (report.interrupted) {
        if (!quiet) say(cli.io, 'Stopped on request: these are the figures of the rows so far.');
        cli.exitCode = EXIT.interrupted;
      } else if (!quiet && report.stale > 0) {
        say(
          cli.io,
          `Marked by earlier rules: ${quantity(report.stale, 'page')}. \`webcrawl rules apply\` updates them.`,
        );
      }
    });
}

const SHOWN = 20;

function forPeople({ all, rules: found, domains, otherDomains, hasRelevant }: RuleReport, columns: number): string {
  const parts = [worthText(all, hasRelevant)];
  if (found.length > 0) {
    const head = ['rule', 'kind', 'pages', 'relevant', 'passed over', 'links rejected', 'let in', 'pattern'];
    const rows = found.map(({ rule, counts, decides, passed }) => [
      rule.id,
      `${rule.kind}${rule.state === 'disabled' ? ', disabled' : ''}`,
      number(decides.rows),
      shown(hasRelevant, decides.relevant),
      cutsOf(rule.kind, counts.refused),
      cutsOf(rule.kind, counts.links),
      passed ? number(passed.rows) : '',
      patternOf(rule),
    ]);
    parts.push(`\nWhat each rule decided on\n${table([head, ...rows], { columns })}`);
  }
  const active = found.filter(({ rule }) => rule.state === 'active');
  const relevant = active.filter(({ rule }) => rule.kind === 'relevant');
  if (relevant.length > 0) {
    const head = ['rule', 'matches', 'marked', 'fetched', 'waiting', 'rejected', 'pattern'];
    const rows = relevant.map(({ rule, counts, decides }) => [
      rule.id,
      number(decides.rows),
      number(counts.relevant),
      number(decides.relevantFetched),
      number(decides.relevantWaiting),
      number(decides.relevantRejected),
      patternOf(rule),
    ]);
    parts.push(`\nRelevant pages\n${table([head, ...rows], { columns })}`);
  }
  if (!hasRelevant) return parts.join('');
  const since = active.filter(({ before, since: after }) => before.fetched + after.fetched > 0);
  if (since.length > 0) {
    const head = ['rule', 'fetched before', 'relevant', 'fetched since', 'relevant', 'pattern'];
    const rows = since.map(({ rule, before, since: after }) => [
      rule.id,
      number(before.fetched),
      share(before.relevant, before.fetched),
      number(after.fetched),
      share(after.relevant, after.fetched),
      oneLine(describeRule(rule)),
    ]);
    parts.push(`\nPages of its hosts, before a rule was active and since\n${table([head, ...rows], { columns })}`);
  }
  if (domains.length > 0) {
    const head = ['fetched', 'relevant', 'share', 'waiting', 'rejected', 'domain'];
    const cells = (worth: Worth, name: string): string[] => [
      number(worth.fetched),
      number(worth.relevantFetched),
      share(worth.relevantFetched, worth.fetched),
      number(worth.relevantWaiting),
      number(worth.relevantRejected),
      name,
    ];
    const rows = domains.slice(0, SHOWN).map((each) => cells(each, safeText(each.domain, 200)));
    const left = domains.length - rows.length + (otherDomains?.domains ?? 0);
    const more = left > 0 ? `and ${quantity(left, 'more domain')}\n` : '';
    parts.push(`\nPages by domain\n${table([head, ...rows], { columns })}${more}`);
  }
  return parts.join('');
}

function worthText(
  { rows, fetched, relevant, relevantFetched, relevantWaiting, relevantRejected }: Worth,
  hasRelevant: boolean,
): string {
  const known = `${quantity(rows, 'page')} known, ${number(fetched)} fetched`;
  if (!hasRelevant)
    return `${known}. No rule tells which pages are relevant: \`webcrawl rules add relevant\` makes one.\n`;
  return (
    `${known}, of these ${number(relevantFetched)} relevant (${share(relevantFetched, fetched) || 'none'}).\n` +
    `${quantity(relevant, 'relevant page')} known: ${number(relevantWaiting)} not fetched yet, ${number(relevantRejected)} rejected by a rule.\n`
  );
}

const shown = (isKnown: boolean, n: number): string => (isKnown ? number(n) : '');
const cutsOf = (kind: string, n: number): string => (kind === 'reject' || kind === 'www' || n > 0 ? number(n) : '');

/** Writes a percentage such as `37.5 %`; an empty text if the whole is 0. */
function share(part: number, whole: number): string {
  return whole > 0 ? `${number((100 * part) / whole, 1)} %` : '';
}
