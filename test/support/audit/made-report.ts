import { strFromU8, unzipSync } from 'fflate';
import type { AuditFinding, AuditReport, AuditRule, AuditSource, AuditSummary } from '../../../packages/audit/index.js';
import { auditOutput, type AuditOutputOptions, type AuditWritten } from '../../../packages/audit/index.js';

export const RULES: readonly AuditRule[] = [
  rule('link-broken', 'broken', 'error', 'Link to a page that is not there', 'Change or remove the link.'),
  rule('redirect-loop', 'broken', 'error', 'Redirects without an end', 'Let the redirect lead to a page.'),
  rule('title-missing', 'titles', 'error', 'Page without a title', 'Give the page a title.'),
  rule('fragment-missing', 'fragments', 'warn', 'Link to a place that is not there', 'Link to an id of the page.'),
  rule('title-duplicate', 'titles', 'warn', 'Pages with one title', 'Give each page a title of its own.'),
  rule('page-slow', 'speed', 'notice', 'Slow page', 'Make the answer faster.'),
  rule('external-unverified', 'external', 'notice', 'Could not be verified', 'Look at it in a browser.'),
];

function rule(id: string, group: string, severity: AuditRule['severity'], title: string, help: string): AuditRule {
  return { id, group, severity, title, help };
}

/** 26 November 2026, 9:30 UTC. */
export const AT = Date.UTC(2026, 10, 26, 9, 30);

export function madeFinding(changes: Partial<AuditFinding> = {}): AuditFinding {
  return {
    id: 'f00d',
    rule: 'link-broken',
    severity: 'error',
    url: 'https://example.com/lost',
    message: 'returns 404',
    state: 'open',
    impact: 1,
    evidence: { status: 404 },
    sources: { total: 1, shown: [madeSource()] },
    ...changes,
  };
}

export function madeSource(changes: Partial<AuditSource> = {}): AuditSource {
  return { url: 'https://example.com/a.html', anchor: 'The lost page', kind: 'a', line: 14, ...changes };
}

export interface MadeReport extends AuditReport {
  /** Number of findings that were read so far. */
  readonly read: () => number;
}

/** A report whose findings are made while they are read. Its counts are those of the findings. */
export function madeReport(
  findings: readonly AuditFinding[] | ((at: number) => AuditFinding | undefined),
  changes: Partial<AuditSummary> = {},
): MadeReport {
  let read = 0;
  const at = (i: number): AuditFinding | undefined => (typeof findings === 'function' ? findings(i) : findings[i]);
  async function* each(): AsyncGenerator<AuditFinding> {
    for (let finding = at(0); finding !== undefined; finding = at(read)) {
      read++;
      yield finding;
    }
  }
  const counts = { error: 0, warn: 0, notice: 0, unverified: 0, new: 0 };
  for (const { severity, state, isNew } of typeof findings === 'function' ? [] : findings) {
    counts[state === 'open' ? severity : 'unverified']++;
    if (isNew) counts.new++;
  }
  const summary: AuditSummary = {
    version: 1,
    at: AT,
    scope: ['https://example.com/'],
    complete: true,
    because: [],
    pages: 1204,
    links: 30_112,
    counts,
    rules: RULES,
    ...changes,
  };
  async function* sourcesOf({ sources }: AuditFinding): AsyncGenerator<AuditSource> {
    yield* sources.shown;
  }
  return { summary, findings: each(), sourcesOf, read: () => read };
}

/** The XML of the first sheet. */
function textOfWorkbook(bytes: Uint8Array): string {
  return strFromU8(unzipSync(bytes)['xl/worksheets/sheet1.xml']!);
}

/** Writes a report in one format. The text of a workbook is the XML of its sheet. */
export async function written(
  report: AuditReport,
  options: Omit<AuditOutputOptions, 'rules'> & { readonly rules?: readonly AuditRule[] },
): Promise<AuditWritten & { readonly text: string; readonly beside: string }> {
  const out = await auditOutput({ rules: report.summary.rules, ...options });
  const [text, beside] = [[] as Uint8Array[], [] as Uint8Array[]];
  const put = (pieces: Uint8Array[]) => (piece: string | Uint8Array) =>
    Promise.resolve(void pieces.push(typeof piece === 'string' ? Buffer.from(piece, 'utf16le') : piece));
  const second = out.needsBeside(report.summary) ? { name: 'report-sources.csv', put: put(beside) } : undefined;
  const result = await out.write(report, put(text), second);
  const whole = Buffer.concat(text);
  return {
    ...result,
    text: options.format === 'xlsx' ? textOfWorkbook(whole) : whole.toString('utf16le'),
    beside: Buffer.concat(beside).toString('utf16le'),
  };
}

/** Text as a hostile page may have it: markup of every format, a formula, control characters, an unpaired surrogate, a direction mark. */
export const HOSTILE =
  '=1+1 </script><!--<img src=x onerror=alert(1)>]]> "\' `a` [x](javascript:alert(1)) {0} @someone #1 | \u001b[31m \u0000 \u202e \ud800 \ufffe & é 漢字 😀\r\nnext';

/** Findings in which everything from the network is hostile. */
export const HOSTILE_FINDINGS: readonly AuditFinding[] = [
  madeFinding({
    url: `https://example.com/${HOSTILE}`,
    message: HOSTILE,
    evidence: { [HOSTILE]: HOSTILE, list: [HOSTILE, HOSTILE] },
    sources: {
      total: 3,
      shown: [madeSource({ url: HOSTILE, anchor: HOSTILE, kind: HOSTILE }), madeSource({ line: 0 })],
    },
  }),
  madeFinding({
    id: 'f1',
    url: `javascript:${HOSTILE}`,
    sources: { total: 0, shown: [] },
    since: Number.NaN,
    lastOkAt: 1e300,
  }),
  madeFinding({
    id: 'f2',
    rule: 'title-missing',
    url: '',
    message: '',
    evidence: {},
    sources: { total: 0, shown: [] },
  }),
  madeFinding({ id: 'f3', rule: 'page-slow', severity: 'notice', state: 'inconclusive', message: HOSTILE.repeat(100) }),
];
