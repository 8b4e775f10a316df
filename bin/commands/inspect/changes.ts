import { Option, type Command } from 'commander';
import type {
  ChangeKind,
  Changes,
  ChangesOptions,
  ChangeDiff,
  ChangesSummary,
  Incomplete,
  LoggedRecord,
} from '../../../packages/webcrawl/internal.js';
import {
  CHANGE_KINDS,
  CrawlError,
  RENAMED_KINDS,
  defined,
  changeDetails,
  hostText,
  withoutMentions,
} from '../../../packages/webcrawl/names.js';
import { library } from '../../library.js';
import { EXIT, open, type Cli } from '../../cli.js';
import { listOf, wholeNumber } from '../../options/arguments.js';
import { MOMENT, momentOrMark } from '../../options/moment.js';
import { jsonLine, say, write, number, oneLine, quantity } from '../../output/output.js';

interface Options extends Omit<ChangesOptions, 'kinds'> {
  readonly kind?: readonly ChangeKind[];
  readonly format?: 'table' | 'jsonl' | 'markdown';
}

export function addChanges(program: Command, cli: Cli): void {
  program
    .command('changes')
    .summary('show what has changed on the pages')
    .description(
      'Shows which pages have changed, and how, in the order in which the changes were found. It reads only the change log, so its cost ' +
        'depends on the number of changes. It may run during a crawl. Exits with 1 when there is no change.',
    )
    .option('--since <time>', `only changes since this time or mark: ${MOMENT} (default: 7d)`, momentOrMark)
    .option('--until <time>', 'only changes before this time or mark (default: now)', momentOrMark)
    .option(
      '--kind <kinds>',
      `only changes of these kinds, separated by commas: ${CHANGE_KINDS.join(', ')}`,
      listOf(CHANGE_KINDS, RENAMED_KINDS),
    )
    .option('--host <host>', 'only pages of this host')
    .option('--limit <n>', 'maximum number of changes', wholeNumber(1))
    .option('--diff', 'show the changes of the main content, if db.keepVersions keeps both versions')
    .option('--cursor <cursor>', 'only changes after the record with this cursor; not with --since')
    .addOption(
      new Option('--format <format>', 'output format (default: table)').choices(['table', 'jsonl', 'markdown']),
    )
    .addHelpText('after', HELP)
    .action((options: Options) => showChanges(cli, options));
}

const HELP = `
Kinds of changes:
new         fetched for the first time, after the first complete crawl
gone        returned 410 once, or 404 twice with at least a day between
back        available again after it was gone
content     the text outside navigation is different; moved: its blocks are in another order
title, description, canonical, noindex, links
            the field of this name is different; links: links were added or removed
redirect    a redirect began, ended, or has another target
status      requests began to fail, or succeed again; robots.txt, 403, 5xx and DNS never make a page "gone"
bytes       only the bytes are different, such as a build number; listed only with --kind bytes

The first crawl is the baseline: its pages are counted, but are not changes. A page that was not fetched again
may have changed, so the command says when pages are due. Changes are kept for db.changesKeptDays days.

Examples:
  webcrawl changes --since 7d
  webcrawl changes --since 2026-01-31 --kind content,gone \\
      --host docs.example.com
  webcrawl mark release-41; webcrawl changes --since release-41 --diff
  webcrawl changes --since 1d --format markdown > changes.md
  webcrawl changes --json | jq -r 'select(.type == "page") | .url'`;

async function showChanges(cli: Cli, { kind: kinds, format, ...options }: Options): Promise<void> {
  const { io } = cli;
  const { json = false, quiet = false } = cli.options();
  if (json && format !== undefined && format !== 'jsonl') {
    throw new CrawlError('USAGE', `--format ${format} and --json cannot be combined`);
  }
  if (options.cursor !== undefined && options.since !== undefined) {
    throw new CrawlError('USAGE', '--since and --cursor cannot be combined');
  }
  const shown = json ? 'jsonl' : (format ?? 'table');
  await using crawl = await open(cli, { name: 'changes' });
  const { changes } = await library();
  const found = changes(crawl, defined({ ...options, kinds }) satisfies ChangesOptions);
  if (shown === 'markdown') await write(io.stdout, markdownHead(await found.summary()));
  const count = await printRecords(cli, found, shown);
  const summary = await found.summary();
  const bytesOnly = bytesText(summary);
  if (shown === 'markdown' && bytesOnly !== undefined) await write(io.stdout, `\n${bytesOnly}\n`);
  if (!quiet && shown !== 'markdown') say(io, summaryText(summary, count));
  if (count === 0) cli.exitCode ||= EXIT.nothing;
}

async function printRecords(cli: Cli, changes: Changes, format: NonNullable<Options['format']>): Promise<number> {
  const { io } = cli;
  const print = { table: textOfRecord, markdown: markdownOfRecord, jsonl: jsonLine }[format];
  let count = 0;
  for await (const record of changes) {
    if (io.signal.aborted) {
      cli.exitCode = EXIT.interrupted;
      break;
    }
    await write(io.stdout, print(record));
    count++;
  }
  return count;
}

const moment = (time: number): string => `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')}Z`;

function textOfRecord(record: LoggedRecord): string {
  if (record.type === 'host') return `${moment(record.at)}  ${oneLine(record.host)}: ${hostText(record)}\n`;
  const { at, kinds, url, diff } = record;
  const details = [...changeDetails(record), ...(diff ? diffLines(diff) : [])];
  return [`${moment(at)}  ${kinds.join(', ')}  ${oneLine(url)}`, ...details.map((line) => `    ${oneLine(line)}`)]
    .map((line) => `${line}\n`)
    .join('');
}

function diffLines(diff: ChangeDiff): string[] {
  if ('missing' in diff) return [`no diff: ${diff.missing}`];
  const { added, removed, lines, isCut } = diff;
  if (added + removed === 0) return ['the main content is the same'];
  return [
    `${quantity(added, 'word')} added, ${number(removed)} removed`,
    ...lines.map(({ sign, text }) => `${sign} ${text}`),
    ...(isCut ? ['(more lines were left out)'] : []),
  ];
}

function summaryText(summary: ChangesSummary, count: number): string {
  const { since, baseline, complete, because } = summary;
  const lines = [`Since ${moment(since)}: ${count === 0 ? 'no change' : quantity(count, 'record')}.`];
  if (baseline > 0)
    lines.push(`Baseline, ${quantity(baseline, 'page')}: found by the first crawl. They do not count as changes.`);
  const bytesOnly = bytesText(summary);
  if (bytesOnly !== undefined) lines.push(bytesOnly);
  if (!complete) lines.push(`These may not be all changes: ${because.map(reasonText).join('; ')}.`);
  return lines.join('\n');
}

function bytesText({ bytesOnly }: Pick<ChangesSummary, 'bytesOnly'>): string | undefined {
  return bytesOnly === 0
    ? undefined
    : `${quantity(bytesOnly, 'page')} with other bytes only (--kind bytes lists them).`;
}

function reasonText({ reason, pages = 0, more, since }: Incomplete): string {
  const some = `${quantity(pages, 'page')}${more ? ' or more' : ''}`;
  const from = since === undefined ? '' : moment(since);
  switch (reason) {
    case 'due':
      return `${some} due and not fetched`;
    case 'host_backoff':
      return `${some} due, but their hosts get no requests for a while (see webcrawl hosts)`;
    case 'under_way':
      return `${some} of batches that updatedb has not closed`;
    case 'baseline':
      return 'the first crawl is not complete and there is no mark, so new pages are not listed';
    case 'log_begins':
      return from === '' ? 'nothing was logged yet' : `the log begins at ${from}`;
    case 'removed':
      return `changes before ${from} are not kept (db.changesKeptDays)`;
    case 'not_logged':
      return 'changes are not logged (db.changesKeptDays is 0)';
  }
}

function markdownHead(summary: ChangesSummary): string {
  const { since, baseline, complete, because } = summary;
  const lines = [`# Changes since ${moment(since)}`, ''];
  if (baseline > 0) lines.push(`Baseline: ${quantity(baseline, 'page')}.`, '');
  if (!complete) lines.push(`These may not be all changes: ${because.map(reasonText).join('; ')}.`, '');
  return `${lines.join('\n')}\n`;
}

function markdownOfRecord(record: LoggedRecord): string {
  if (record.type === 'host') return `- **${escaped(record.host)}**: ${hostText(record)} (${moment(record.at)})\n`;
  const { url, kinds, at, after, before, diff } = record;
  const title = after.title ?? before?.title ?? url;
  const details = changeDetails(record).map((line) => `  - ${escaped(line)}\n`);
  const item = `- **${kinds.join(', ')}**: [${escaped(title)}](<${url}>) (${moment(at)})\n`;
  return `${item}${details.join('')}${diff ? markdownDiff(diff) : ''}`;
}

function markdownDiff(diff: ChangeDiff): string {
  const lines = diffLines(diff).map(oneLine);
  if ('missing' in diff || diff.lines.length === 0) return `  - ${escaped(lines[0] ?? '')}\n`;
  const [head = '', ...rest] = lines;
  const longest =
    rest
      .join('\n')
      .match(/`+/g)
      ?.reduce((most, { length }) => Math.max(most, length), 0) ?? 0;
  const fence = '`'.repeat(Math.max(3, longest + 1));
  return `  - ${head}\n\n${[`${fence}diff`, ...rest, fence].map((line) => `    ${line}\n`).join('')}\n`;
}

/** Escapes a string for Markdown, so that it has no markup, mention or reference to an issue. */
function escaped(text: string): string {
  return withoutMentions(oneLine(text).replace(/[\\`*_{}[\]<>#|~]/g, '\\$&'));
}
