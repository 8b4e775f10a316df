import { InvalidArgumentError, type Command } from 'commander';
import type { ProposeReport, ProposedDomain, StoredProposal } from '../../../packages/webcrawl/internal.js';
import { CrawlError, describeRule, safeText } from '../../../packages/webcrawl/names.js';
import { library } from '../../library.js';
import { EXIT, open, runJob, type Cli } from '../../cli.js';
import { lineWidth, number, quantity, safeLines } from '../../output/output.js';
import { shortened, table } from '../../output/table.js';
import { showAdded } from './add.js';

interface ProposeVerbOptions {
  readonly domain?: string;
  readonly apply?: boolean;
  readonly list?: string;
  readonly numbers?: readonly number[];
}

export function addRulesPropose(program: Command, cli: Cli): void {
  program
    .command('propose')
    .summary('propose rules, from the pages of the table')
    .description(
      'Looks in each domain for sections and parameters that lead to no relevant page, and proposes rules that reject them. Exits with 1 when there is no proposal.',
    )
    .option('--domain <name>', 'propose rules of this domain only')
    .option('--apply', 'add the proposed rules')
    .option('--list <id>', 'with --apply and --numbers: id of the list of proposals')
    .option(
      '--numbers <numbers>',
      'with --apply and --list: add only these proposals of the list, separated by commas',
      numbersOf,
    )
    .addHelpText(
      'after',
      `
Rules of kind relevant say which pages are relevant. Without such a rule it finds only copies of pages, and
calendars, sessions and facets with half of the pages of a domain. --apply does not add rules on calendars,
sessions and facets.

Each proposal was checked on the links of the table. It rejects no relevant page, no seed, and no page that a rule
made by hand accepts. Every relevant page stays reachable. A generated rule never rejects a page that a relevant
rule matches, not even a new page. But all links to a new page may be on rejected pages.

A disabled generated rule is not proposed again, nor is a rule that rejects the same pages.
Before --numbers adds a rule, its conditions are checked again. If one fails, or there is a newer list, no rule is
added (STALE_PROPOSAL). After a rule of kind www is added, pages of the table get rows under the other form, as with
webcrawl rules apply. If this is stopped, the next crawl completes it.

Columns: rejected, pages that the rule rejects; saved, rejected pages that were not fetched yet.

Examples:
  webcrawl rules propose
  webcrawl rules propose --apply
  webcrawl rules propose --apply --list 0c3f9a1e --numbers 1,3
  webcrawl rules propose --domain news.example --set propose.minRelevant=100 \\
      --json`,
    )
    .action(async ({ domain, apply = false, list, numbers }: ProposeVerbOptions) => {
      if ((numbers || list !== undefined) && (!apply || !numbers || list === undefined || domain !== undefined)) {
        throw new CrawlError(
          'USAGE',
          '--numbers needs --apply and the --list of these numbers, and cannot be combined with --domain',
        );
      }
      if (numbers && list !== undefined) {
        await using crawl = await open(cli, { name: 'rules propose' });
        return showAdded(
          cli,
          await (await library()).rules.applyProposals(crawl, { list, numbers, signal: cli.io.signal }),
          MOVED,
        );
      }
      const report = await runJob<ProposeReport>(
        cli,
        'rules propose',
        (crawl, job, { rules }) => rules.propose(crawl, { ...job, apply, ...(domain !== undefined && { domain }) }),
        { alone: false, data: (found) => forPeople(found as ProposeReport, lineWidth(cli.io)) },
      );
      if (report.proposals.length === 0 && !report.interrupted) cli.exitCode = EXIT.nothing;
    });
}

function numbersOf(text: string): number[] {
  const numbers = text.split(',').map(Number);
  if (numbers.every((each) => Number.isSafeInteger(each) && each > 0)) return numbers;
  throw new InvalidArgumentError('not numbers of proposals, such as 1,3');
}

const MOVED = 'Known pages under the other form now have rows under the form of the rule.';

const NO_RELEVANT =
  'No rule says which pages are relevant, so only copies of pages, and calendars, sessions and facets that hold half of a domain are ' +
  "looked for.  webcrawl rules add relevant '<prefix or --regex>' adds one; webcrawl prefixes shows where the pages are.";

function forPeople({ list, proposals, domains, added, hasRelevant }: ProposeReport, columns: number): string {
  if (proposals.length === 0) return hasRelevant ? 'Nothing to propose.' : `Nothing to propose. ${NO_RELEVANT}`;
  const head = ['no.', 'rejected', 'saved', 'why', 'of', 'rule'];
  const rows = proposals.map((proposal) => [
    String(proposal.number),
    number(proposal.rows),
    number(proposal.rows - proposal.fetched),
    proposal.reason.replaceAll('_', ' '),
    safeText(proposal.rule.scope, 40),
    ruleText(proposal),
  ]);
  const why = proposals.map((proposal) => shortened(`${proposal.number}: ${evidenceText(proposal)}`, columns - 1));
  const text = [
    table([head, ...rows], { columns }),
    ...why,
    '',
    ...domains.map((domain) => shortened(domainText(domain, hasRelevant), columns - 1)),
  ];
  if (added) {
    text.push('', ...added.added.map((rule) => `Added: ${rule.id} (${describeRule(rule)})`));
    if (added.added.some(({ kind }) => kind === 'www')) text.push(MOVED);
  } else if (list !== undefined) {
    text.push('', `To add some of them: webcrawl rules propose --apply --list ${list} --numbers 1`);
  }
  if (!hasRelevant) text.push('', NO_RELEVANT);
  return safeLines(text.join('\n'));
}

function ruleText({ rule }: StoredProposal): string {
  if (rule.kind === 'www') return `www: ${rule.to} www`;
  const { pattern } = rule;
  return safeText(`${rule.kind} ${'prefix' in pattern ? pattern.prefix : `regex ${pattern.regex}`}`, 2000);
}

/**
 * Returns the figures of a proposal as text: numbers with their names, and an example. Numbers that are only for the check of the proposal
 * are omitted.
 */
function evidenceText({ evidence }: StoredProposal): string {
  const figures = Object.entries(evidence)
    .filter(([, value]) => typeof value === 'number')
    .map(([name, value]) => `${wordsOf(name)} ${number(value as number)}`);
  const [example] = Array.isArray(evidence['examples']) ? (evidence['examples'] as unknown[]) : [];
  if (typeof example === 'string') figures.push(`such as ${safeText(example, 500)}`);
  return figures.join(', ');
}

const wordsOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

function domainText({ domain, rest, rejected, relevant }: ProposedDomain, hasRelevant: boolean): string {
  const share = rest === 0 ? 0 : (100 * rejected) / rest;
  const text = `${safeText(domain, 100)}: rejects ${number(share, 0)} % of ${quantity(rest, 'page')}`;
  if (!hasRelevant) return `${text}.`;
  return `${text} that are not relevant; all ${number(relevant)} known relevant ones stay reachable.`;
}
