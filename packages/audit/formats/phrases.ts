import { figures, replaceUnseen, safeText } from '../../core/index.js';
import type { AuditFinding, AuditSummary } from '../report.js';

const { number, quantity } = figures;

/** Returns untrusted text on one line, cut to `max` characters, without characters that are invisible or that a format cannot contain. */
export function clean(text: string, max = 500): string {
  return replaceUnseen(safeText(text, max), '');
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes text for HTML and XML: for elements, and for attributes in double quotes. */
export function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => ENTITIES[sign]!);
}

/** Returns a day in UTC, `2026-05-03`. Empty for an absent time, and for a time outside the calendar. */
export function dayOf(ms: number | undefined): string {
  return momentOf(ms).slice(0, 10);
}

/** Returns a moment in UTC, `2026-05-03T09:30:00.000Z`. Empty for an absent time, and for a time outside the calendar. */
export function momentOf(ms: number | undefined): string {
  return ms === undefined || !(Math.abs(ms) <= 8.64e15) ? '' : new Date(ms).toISOString();
}

export function scopeText({ scope }: AuditSummary): string {
  const [first, ...others] = scope;
  if (first === undefined) return 'all pages of the table';
  return clean(first) + (others.length === 0 ? '' : ` and ${quantity(others.length, 'other')}`);
}

export function missing({ complete, because, pages }: AuditSummary): string[] {
  if (pages === 0) return ['nothing was audited', ...because.map((reason) => clean(reason))];
  if (complete) return [];
  return because.length === 0 ? ['pages are missing'] : because.map((reason) => clean(reason));
}

/** `12 errors, 40 warnings, 7 notices; 3 not verified; 5 new since 2026-05-03` */
export function countsText({ counts, since }: AuditSummary): string {
  const found = [
    quantity(counts.error, 'error'),
    quantity(counts.warn, 'warning'),
    quantity(counts.notice, 'notice'),
  ].join(', ');
  const unverified = counts.unverified === 0 ? '' : `; ${number(counts.unverified)} not verified`;
  const isNew = since === undefined ? '' : `; ${number(counts.new)} new since ${dayOf(since)}`;
  return found + unverified + isNew;
}

/** `1,204 pages and 30,112 links were looked at, by 40 rules` */
export function lookedAtText({ pages, links, rules }: AuditSummary): string {
  return `${quantity(pages, 'page')} and ${quantity(links, 'link')} were looked at, by ${quantity(rules.length, 'rule')}`;
}

export function headLines(summary: AuditSummary): string[] {
  return [
    ...missing(summary).map((reason) => `NOT COMPLETE: ${reason}`),
    `Audit of ${scopeText(summary)}, ${momentOf(summary.at).slice(0, 16).replace('T', ' ')} UTC`,
    countsText(summary),
    lookedAtText(summary),
    ...ignoredLines(summary),
  ];
}

export function ignoredLines({ ignored = 0, unusedIgnores = [], undecided = 0 }: AuditSummary): string[] {
  const lines = ignored === 0 ? [] : [`${quantity(ignored, 'finding')} left out by entries of audit ignore`];
  if (undecided > 0) {
    lines.push(
      `${quantity(undecided, 'finding')} may be new or old: the version of that time is not stored (a higher db.keepVersions keeps it), or the target was requested for the first time`,
    );
  }
  return [...lines, ...unusedIgnores.map((each) => `entry of audit ignore that no finding matches: ${clean(each)}`)];
}

/** Returns the known times of a finding: `since 2026-05-03, last worked 2026-05-01`. May be empty. */
export function historyText({ since, lastOkAt, lastRequestAt, isNew }: AuditFinding): string {
  const times = [
    ['since', since],
    ['last worked', lastOkAt],
    ['last requested', lastRequestAt],
  ] as const;
  const parts: string[] = times.flatMap(([name, at]) => (dayOf(at) === '' ? [] : [`${name} ${dayOf(at)}`]));
  if (isNew === 'target')
    parts.push(lastOkAt === undefined ? 'new: it was not so at the mark' : 'new: it broke after the mark');
  if (isNew === 'link') parts.push('new: the link was added after the mark');
  return parts.join(', ');
}

/**
 * Returns the message of a finding for a place that shows its URL beside it. The URL at the beginning and the full stop at the end are
 * removed.
 */
export function shortMessage({ url, message }: AuditFinding, max = 500): string {
  const [text, target] = [clean(message, max), clean(url, max)];
  const rest = target !== '' && text.startsWith(`${target} `) ? text.slice(target.length + 1) : text;
  return rest.replace(/\.$/, '');
}

/** Returns state, history and impact of a finding: `not verified, since 2026-05-03, impact high`. */
export function factsText(finding: AuditFinding, most: number): string {
  const facts = [stateText(finding.state), historyText(finding), `impact ${impactLevel(finding.impact, most)}`];
  return facts.filter((text) => text !== '').join(', ');
}

export function stateText(state: AuditFinding['state']): string {
  return { open: '', unverified: 'not verified', inconclusive: 'inconclusive' }[state];
}

export function impactLevel(impact: number, most: number): 'high' | 'middle' | 'low' {
  if (impact >= most / 10) return 'high';
  return impact >= most / 100 ? 'middle' : 'low';
}

/** Returns the evidence of a finding as text: `status: 404; chain: a, b`. May be empty. */
export function evidenceText(evidence: AuditFinding['evidence'], max = 300): string {
  const parts = Object.entries(evidence).map(([name, value]) => {
    const text = typeof value === 'object' ? value.join(', ') : String(value);
    return `${clean(name, 60)}: ${clean(text, max)}`;
  });
  return parts.join('; ');
}
