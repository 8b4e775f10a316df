import { figures } from '../../core/index.js';
import type { AuditFinding } from '../report.js';
import { gather, type RuleFindings } from './gathered.js';
import { clean, evidenceText, factsText, headLines, shortMessage } from './phrases.js';
import type { AuditWriter } from './writer.js';

/** Maximum number of findings of a rule, and of sources of a finding, to show. */
const MAX_FINDINGS = 10;
const MAX_SOURCES = 3;

export const writeText: AuditWriter = async (report, put) => {
  const { rules, total, most } = await gather(report, MAX_FINDINGS);
  const lines = headLines(report.summary);
  if (total === 0 && report.summary.pages > 0) lines.push('', 'No fault was found in the pages of this audit.');
  for (const rule of rules) lines.push('', ...ruleLines(rule, most));
  if (rules.some(({ count }) => count > MAX_FINDINGS)) {
    lines.push('', 'All findings: -o report.html for a page to search, -o report.csv for a spreadsheet.');
  }
  await put(`${lines.join('\n')}\n`);
  return undefined;
};

function ruleLines({ rule, first, count }: RuleFindings, most: number): string[] {
  const lines = [`${rule.severity}  ${rule.id}: ${clean(rule.title)} (${figures.number(count)})`];
  if (rule.help !== '') lines.push(`  How to fix it: ${clean(rule.help, 1000)}`);
  for (const finding of first) lines.push(...findingLines(finding, most));
  if (count > first.length) lines.push(`  … and ${figures.number(count - first.length)} more`);
  return lines;
}

function findingLines(finding: AuditFinding, most: number): string[] {
  const { url, sources, evidence } = finding;
  const lines = [`  ${clean(url)}`, `    ${shortMessage(finding)}`, `    ${factsText(finding, most)}`];
  const proof = evidenceText(evidence);
  if (proof !== '') lines.push(`    ${clean(proof)}`);
  const shown = sources.shown.slice(0, MAX_SOURCES);
  for (const { url: page, anchor, kind, line } of shown) {
    const place = line === undefined ? clean(kind, 60) : `${clean(kind, 60)}, line ${line}`;
    lines.push(`    from ${clean(page)} (${place})${anchor === '' ? '' : `: ${clean(anchor, 80)}`}`);
  }
  const more = sources.total - shown.length;
  if (more > 0) lines.push(`    … and ${figures.number(more)} more`);
  return lines;
}
