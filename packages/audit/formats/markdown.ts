import { figures, withoutMentions } from '../../core/index.js';
import type { AuditFinding, AuditSource, AuditSummary } from '../report.js';
import { gather, type Gathered } from './gathered.js';
import {
  clean,
  countsText,
  evidenceText,
  factsText,
  ignoredLines,
  lookedAtText,
  missing,
  momentOf,
  scopeText,
  shortMessage,
} from './phrases.js';
import type { AuditWriter } from './writer.js';

/** Maximum length. An issue of GitHub accepts 65,536 characters. */
const MAX_CHARACTERS = 60_000;
/** Pairs of maximum numbers: of findings of each rule, and of sources of each finding. The first pair whose text fits is used. */
const SIZES = [
  [50, 5],
  [25, 3],
  [10, 3],
  [5, 1],
  [2, 1],
  [1, 0],
  [0, 0],
] as const;

const MAX_LINES = 20;

export const writeMarkdown: AuditWriter = async (report, put) => {
  const gathered = await gather(report, SIZES[0][0]);
  const head = headOf(report.summary, gathered);
  for (const [findings, sources] of SIZES) {
    const rules = rulesText(gathered, MAX_CHARACTERS - head.length, findings, sources);
    if (rules === undefined) continue;
    await put(head + rules);
    return undefined;
  }
  await put(head.slice(0, MAX_CHARACTERS));
  return undefined;
};

function headOf(summary: AuditSummary, { rules, total }: Gathered): string {
  const lines = [`# Audit of ${plain(scopeText(summary))}`, ''];
  for (const reason of firstOf(missing(summary))) lines.push(`**Not complete:** ${plain(reason)}`, '');
  lines.push(`${countsText(summary)}.`, '', `${lookedAtText(summary)}, ${momentOf(summary.at).slice(0, 16)} UTC.`, '');
  for (const line of firstOf(ignoredLines(summary))) lines.push(`${plain(line)}.`, '');
  if (total === 0 && summary.pages > 0) lines.push('No fault was found in the pages of this audit.');
  else lines.push('| severity | rule | findings |', '| --- | --- | ---: |');
  for (const { rule, count } of rules) {
    lines.push(`| ${rule.severity} | \`${rule.id}\` ${plain(rule.title)} | ${figures.number(count)} |`);
  }
  return `${lines.join('\n')}\n`;
}

function firstOf(lines: readonly string[]): string[] {
  const more = lines.length - MAX_LINES;
  return more > 0 ? [...lines.slice(0, MAX_LINES), `and ${figures.number(more)} more`] : [...lines];
}

/** Returns the findings of all rules. Undefined: their text does not fit into the room. */
function rulesText({ rules, most }: Gathered, room: number, findings: number, sources: number): string | undefined {
  let text = '';
  for (const { rule, first, count } of rules) {
    text += `\n## ${plain(rule.title)} (\`${rule.id}\`, ${figures.number(count)})\n\n`;
    if (rule.help !== '') text += `${plain(rule.help)}\n\n`;
    const shown = first.slice(0, findings);
    for (const finding of shown) {
      text += findingText(finding, most, sources);
      if (text.length > room) return undefined;
    }
    const more = count - shown.length;
    if (more > 0)
      text += shown.length === 0 ? `- ${figures.quantity(more, 'finding')}\n` : `- and ${figures.number(more)} more\n`;
  }
  return text.length > room ? undefined : text;
}

function findingText(finding: AuditFinding, most: number, max: number): string {
  const { url, evidence, sources } = finding;
  const proof = evidenceText(evidence, 100);
  const lines = [`- ${link(url)}: ${plain(shortMessage(finding))} (${factsText(finding, most)})`];
  if (proof !== '') lines[0] += `. ${code(clean(proof, 300))}`;
  const shown = sources.shown.slice(0, max);
  for (const source of shown) lines.push(`  - ${sourceText(source)}`);
  const more = sources.total - shown.length;
  if (more > 0)
    lines.push(shown.length === 0 ? `  - ${figures.quantity(more, 'source')}` : `  - and ${figures.number(more)} more`);
  return `${lines.join('\n')}\n`;
}

function sourceText({ url, anchor, kind, line }: AuditSource): string {
  const place = line === undefined ? kind : `${kind}, line ${line}`;
  return `${link(url)} (${plain(place)})${anchor === '' ? '' : ` ${code(clean(anchor, 120))}`}`;
}

function link(url: string): string {
  const text = clean(url, 300);
  return /^https?:\/\/[^\s<>|`\\…]+$/i.test(text) ? `<${text}>` : code(text);
}

/** Formats text as code, without any markup, mention or reference to an issue. */
function code(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = text.startsWith('`') || text.endsWith('`') || text === '' ? ' ' : '';
  return `${fence}${pad}${text}${pad}${fence}`;
}

/** Formats text without any markup, mention or reference to an issue. */
function plain(text: string): string {
  return withoutMentions(clean(text).replace(/[\\`*_[\]<>|~&!]/g, '\\$&'));
}
