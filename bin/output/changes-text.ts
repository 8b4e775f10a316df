import type { ChangeDiff, ChangesSummary, Incomplete, LoggedRecord } from '../../packages/webcrawl/internal.js';
import { changeDetails, hostText, withoutMentions } from '../../packages/webcrawl/names.js';
import { number, oneLine, quantity } from './output.js';

const moment = (time: number): string => `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')}Z`;

export function textOfRecord(record: LoggedRecord): string {
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

export function summaryText(summary: ChangesSummary, count: number): string {
  const { since, baseline, complete, because } = summary;
  const lines = [`Since ${moment(since)}: ${count === 0 ? 'no change' : quantity(count, 'record')}.`];
  if (baseline > 0)
    lines.push(`Baseline, ${quantity(baseline, 'page')}: found by the first crawl. They do not count as changes.`);
  const bytesOnly = bytesText(summary);
  if (bytesOnly !== undefined) lines.push(bytesOnly);
  if (!complete) lines.push(`These may not be all changes: ${because.map(reasonText).join('; ')}.`);
  return lines.join('\n');
}

export function bytesText({ bytesOnly }: Pick<ChangesSummary, 'bytesOnly'>): string | undefined {
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
      return `changes before ${from} are not kept (db.changesKept)`;
    case 'not_logged':
      return 'changes are not logged (db.changesKept is 0)';
  }
}

export function markdownHead(summary: ChangesSummary): string {
  const { since, baseline, complete, because } = summary;
  const lines = [`# Changes since ${moment(since)}`, ''];
  if (baseline > 0) lines.push(`Baseline: ${quantity(baseline, 'page')}.`, '');
  if (!complete) lines.push(`These may not be all changes: ${because.map(reasonText).join('; ')}.`, '');
  return `${lines.join('\n')}\n`;
}

export function markdownOfRecord(record: LoggedRecord): string {
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
