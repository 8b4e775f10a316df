import { InvalidArgumentError, type Command } from 'commander';
import type { ProposeReport, ProposedDomain, StoredProposal } from '../../../packages/webcrawl/index.js';
import { describeRule, safeText } from '../../../packages/webcrawl/names.js';
import { library } from '../../library.js';
import { EXIT, open, runJob, type Cli } from '../../cli.js';
import { fittedTable, shortened } from '../../output/fitted-table.js';
import { number, quantity, safeLines } from '../../output/output.js';
import { showAdded } from './add.js';

interface ProposeVerbOptions {
  readonly domain?: string;
  readonly apply?: boolean;
  readonly list?: string;
  readonly numbers?: readonly number[];
}

/** `rules propose`. */
export function addRulesPropose(program: Command, cli: Cli): void {
  program
    .command('propose')
    .summary('propose rules, from what the table holds')
    .description(
      'Looks for sections and parameters of each domain that lead to nothing useful, and proposes rules that cut them. Exits with 1 when there is nothing to propose.',
    )
    .option('--domain <name>', 'only rules of this domain')
    .option('--apply', 'add the rules that are proposed')
    .option('--list <id>', 'with --apply and --numbers: the list that the numbers are of')
    .option('--numbers <n,…>', 'with --apply and --list: make no new proposals, and add these of that list', numbersOf)
    .addHelpText(
      'after',
      `
What is useful, rules of kind useful say; without one, nothing is known to be useless. What is proposed
was checked on the links of the table: no known page that is useful is cut, no seed, nothing that a
rule made by hand accepts, and every useful page that could be reached can still be. Of useful pages
that are not known yet only so much can be said: a page that a useful rule matches is never refused by a
generated rule, but its only links may be on pages that are cut.

A rule that was generated and then disabled is not proposed again, nor one that cuts the same pages.
Before --numbers adds a rule, its conditions are checked again; where that fails, or another list has been
made meanwhile, none is added (STALE_PROPOSAL). After a rule on www is added, pages that are known get
rows under the other form, as webcrawl rules apply does; where it was stopped before, the next crawl does it.

In the list: cut, the pages that the rule cuts; saved, those of them that were not fetched yet.

Examples:
  webcrawl rules propose
  webcrawl rules propose --apply
  webcrawl rules propose --apply --list 0c3f9a1e --numbers 1,3
  webcrawl rules propose --domain news.example --set propose.minUseful=100 --json`,
    )
    .action(async ({ domain, apply = false, list, numbers }: ProposeVerbOptions) => {
      if ((numbers || list !== undefined) && (!apply || !numbers || list === undefined || domain !== undefined)) {
        throw new InvalidArgumentError(
          'Expected --numbers with --apply and with the --list that they are of, and without --domain.',
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
        { alone: false, data: (found) => forPeople(found as ProposeReport, cli.io.stdout.columns ?? 100) },
      );
      if (report.proposals.length === 0 && !report.interrupted) cli.exitCode = EXIT.nothing;
    });
}

function numbersOf(text: string): number[] {
  const numbers = text.split(',').map(Number);
  if (numbers.every((each) => Number.isSafeInteger(each) && each > 0)) return numbers;
  throw new InvalidArgumentError('Expected numbers of proposals, such as 1,3.');
}

const MOVED = 'Pages that are known under the other form have got rows in the form of the rule.';

function forPeople({ list, proposals, domains, added }: ProposeReport, columns: number): string {
  if (proposals.length === 0) return 'Nothing to propose.';
  const head = ['no.', 'cut', 'saved', 'why', 'of', 'rule'];
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
    fittedTable([head, ...rows], columns),
    ...why,
    '',
    ...domains.map((domain) => shortened(domainText(domain), columns - 1)),
  ];
  if (added) {
    text.push('', ...added.added.map((rule) => `Added: ${rule.id} (${describeRule(rule)})`));
    if (added.added.some(({ kind }) => kind === 'www')) text.push(MOVED);
  } else if (list !== undefined) {
    text.push('', `To add some of them: webcrawl rules propose --apply --list ${list} --numbers 1`);
  }
  return safeLines(text.join('\n'));
}

function ruleText({ rule }: StoredProposal): string {
  if (rule.kind === 'www') return `www: ${rule.to} www`;
  const { pattern } = rule;
  return safeText(`${rule.kind} ${'prefix' in pattern ? pattern.prefix : `regex ${pattern.regex}`}`, 2000);
}

/** The figures of a proposal in words: numbers by name, but what the check adds, and an example. */
function evidenceText({ evidence }: StoredProposal): string {
  const figures = Object.entries(evidence)
    .filter(([, value]) => typeof value === 'number')
    .map(([name, value]) => `${wordsOf(name)} ${number(value as number)}`);
  const [example] = Array.isArray(evidence['examples']) ? (evidence['examples'] as unknown[]) : [];
  if (typeof example === 'string') figures.push(`such as ${safeText(example, 500)}`);
  return figures.join(', ');
}

const wordsOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

function domainText({ domain, rest, cut, useful }: ProposedDomain): string {
  const share = rest === 0 ? 0 : (100 * cut) / rest;
  return `${safeText(domain, 100)}: cuts ${number(share, 0)} % of ${quantity(rest, 'page')} that are not useful; all ${number(useful)} known useful ones keep a way.`;
}
