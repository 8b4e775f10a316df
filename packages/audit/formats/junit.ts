import { VERSION, figures } from '../../core/index.js';
import type { AuditFinding, AuditReport, AuditRule } from '../report.js';
import { clean, escaped, evidenceText, historyText, missing, momentOf, stateText } from './phrases.js';
import { inPieces, rulesById, type AuditWriter } from './writer.js';

/** Maximum number of bytes of all cases, because GitLab reads at most 30 MB of a file. */
const MAX_BYTES = 25_000_000;

interface Suite {
  readonly cases: string[];
  /** Names of the cases so far. Names must differ, because a reader may use only the first case with a name. */
  readonly names: Set<string>;
  tests: number;
  failures: number;
  skipped: number;
}

/**
 * Writes JUnit XML: a suite for each group, a case for each finding, and a passed case for each rule without findings. An unverified
 * finding is skipped, and a notice passes with a note. The first suite has one case, which fails if the report is incomplete.
 */
export const writeJunit: AuditWriter = async (report, put, { fails = isFault }) => {
  const { summary } = report;
  const { suites, cut } = await casesOf(report, fails);
  const all = [...suites.values()];
  const sum = (of: 'tests' | 'failures' | 'skipped'): number => all.reduce((total, suite) => total + suite[of], 0);
  const out = inPieces(put);
  await out.add('<?xml version="1.0" encoding="UTF-8"?>\n');
  const timestamp = momentOf(summary.at).slice(0, 19);
  const totals = `tests="${sum('tests')}" failures="${sum('failures')}" errors="0" skipped="${sum('skipped')}" time="0"`;
  await out.add(`<testsuites name="webcrawl audit ${VERSION}" ${totals}>\n`);
  for (const [name, { cases, tests, failures, skipped }] of suites) {
    const numbers = `tests="${tests}" failures="${failures}" errors="0" skipped="${skipped}" time="0"`;
    await out.add(`<testsuite name="${xml(name)}" ${numbers} timestamp="${timestamp}">\n`);
    for (const each of cases) await out.add(each);
    await out.add('</testsuite>\n');
  }
  await out.add('</testsuites>\n');
  await out.end();
  return cut === 0 ? undefined : `${cutText(cut)}.`;
};

function isFault({ severity }: AuditFinding): boolean {
  return severity !== 'notice';
}

async function casesOf(report: AuditReport, fails: (finding: AuditFinding) => boolean) {
  const { summary, findings } = report;
  const ruleOf = rulesById(summary);
  const suites = new Map<string, Suite>([['audit', newSuite()]]);
  for (const { group } of summary.rules) if (!suites.has(group)) suites.set(group, newSuite());
  const seen = new Set<string>();
  const reasons = missing(summary);
  let bytes = 0;
  let cut = 0;
  for await (const finding of findings) {
    seen.add(finding.rule);
    if (bytes > MAX_BYTES) {
      cut++;
      continue;
    }
    const rule = ruleOf(finding);
    const suite = suites.get(rule.group) ?? newSuite();
    suites.set(rule.group, suite);
    bytes += addCase(suite, finding, rule, fails);
  }
  for (const { id, group, title } of summary.rules) {
    if (!seen.has(id)) passed(suites.get(group)!, id, title);
  }
  if (cut > 0) reasons.push(cutText(cut));
  const own = suites.get('audit')!;
  if (reasons.length === 0) passed(own, 'complete', 'all pages were looked at');
  else failed(own, 'complete', 'all pages were looked at', reasons);
  return { suites, cut };
}

function cutText(cut: number): string {
  return `The file has room for 25 MB: ${figures.quantity(cut, 'finding')} with less impact left out`;
}

function newSuite(): Suite {
  return { cases: [], names: new Set(), tests: 0, failures: 0, skipped: 0 };
}

function addCase(
  suite: Suite,
  finding: AuditFinding,
  rule: AuditRule,
  fails: (finding: AuditFinding) => boolean,
): number {
  const plain = clean(finding.url, 1000);
  const name = suite.names.has(`${rule.id} ${plain}`) ? `${plain} (${finding.id})` : plain;
  suite.names.add(`${rule.id} ${name}`);
  const message = clean(finding.message, 500);
  const body = xml(detailsOf(finding, rule).join('\n'), true);
  suite.tests++;
  let inner;
  if (finding.state !== 'open') {
    suite.skipped++;
    inner = `<skipped message="${xml(`${stateText(finding.state)}: ${message}`)}"/>`;
  } else if (fails(finding)) {
    suite.failures++;
    inner = `<failure message="${xml(message)}" type="${xml(rule.id)}">${body}</failure>`;
  } else {
    inner = `<system-out>${body}</system-out>`;
  }
  const text = `<testcase classname="${xml(rule.id)}" name="${xml(name)}" time="0">${inner}</testcase>\n`;
  suite.cases.push(text);
  return Buffer.byteLength(text);
}

/** The text repeats the message, because some services show only the text. */
function detailsOf(finding: AuditFinding, { title, help }: AuditRule): string[] {
  const { sources, evidence, severity } = finding;
  const lines = [
    `${severity}: ${title}`,
    finding.message,
    `How to fix it: ${help}`,
    historyText(finding),
    evidenceText(evidence),
  ];
  if (sources.total > 0) {
    lines.push(`Sources, ${sources.shown.length} of ${sources.total}:`);
    for (const { url, anchor, kind, line } of sources.shown) {
      lines.push(`  ${url}${line === undefined ? '' : `:${line}`} (${kind}) ${anchor}`);
    }
  }
  return lines.filter((line) => line !== '').map((line) => clean(line, 1000));
}

function passed(suite: Suite, classname: string, name: string): void {
  suite.tests++;
  suite.cases.push(`<testcase classname="${xml(classname)}" name="${xml(clean(name))}" time="0"/>\n`);
}

function failed(suite: Suite, classname: string, name: string, reasons: readonly string[]): void {
  suite.tests++;
  suite.failures++;
  const text = xml(reasons.join('; '));
  suite.cases.push(
    `<testcase classname="${xml(classname)}" name="${xml(name)}" time="0"><failure message="${text}" type="${xml(classname)}">${text}</failure></testcase>\n`,
  );
}

/** Escapes text for an attribute, or with line breaks for an element. `clean` has already removed characters that XML 1.0 cannot contain. */
function xml(text: string, isMultiline = false): string {
  return escaped(isMultiline ? text : text.replace(/\s/g, ' '));
}
