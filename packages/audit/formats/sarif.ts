import { VERSION, figures, tryParseUrl } from '../../core/index.js';
import type { AuditFinding, AuditRule, AuditSource, AuditSummary, Severity } from '../report.js';
import { clean, dayOf, missing, momentOf } from './phrases.js';
import { repositoryPath, type MappedFolder } from './repository-path.js';
import { inPieces, rulesById, type AuditWriter } from './writer.js';

/** GitHub stores 5,000 results of a run, 100 locations of a result, and the beginning of a description. */
const MAX_RESULTS = 5000;
const MAX_LOCATIONS = 100;
const MAX_DESCRIPTION = 1024;

const LEVELS = { error: 'error', warn: 'warning', notice: 'note' } as const satisfies Record<Severity, string>;
const PROBLEMS = { error: 'error', warn: 'warning', notice: 'recommendation' } as const satisfies Record<
  Severity,
  string
>;

/**
 * Writes SARIF 2.1.0 for code scanning of GitHub: relative URIs, four fields in each region, no empty text, at most 5,000 results.
 * Unverified and inconclusive findings would be false alarms there, so they are only counted.
 */
export const writeSarif: AuditWriter = async ({ summary, findings }, put, { map = [] }) => {
  const ruleOf = rulesById(summary);
  const indexes = new Map(summary.rules.map(({ id }, index) => [id, index]));
  const out = inPieces(put);
  await out.add(`${runHead(summary)},"results":[`);
  let results = 0;
  const left = { over: 0, unsure: 0 };
  for await (const finding of findings) {
    if (finding.state !== 'open') left.unsure++;
    else if (results === MAX_RESULTS) left.over++;
    else {
      const index = indexes.get(finding.rule);
      const result = resultOf(finding, ruleOf(finding), summary, map);
      await out.add(`${results++ === 0 ? '\n' : ',\n'}${JSON.stringify({ ...result, ruleIndex: index })}`);
    }
  }
  const notes = notesOf(left);
  await out.add(`\n],"invocations":[${JSON.stringify(invocation(summary, notes))}]}]}\n`);
  await out.end();
  return notes.length === 0 ? undefined : notes.join(' ');
};

/** Returns the beginning of the log up to its results. The object of the run is not closed yet. */
function runHead(summary: AuditSummary): string {
  const driver = { name: 'webcrawl audit', semanticVersion: VERSION, rules: summary.rules.map(ruleObject) };
  const [first = ''] = summary.scope;
  const site = clean(tryParseUrl(first)?.host || first, 100) || 'table';
  const run = {
    tool: { driver },
    automationDetails: { id: `webcrawl/${site}/` },
    properties: { complete: summary.complete, because: missing(summary), pages: summary.pages, links: summary.links },
  };
  const schema = 'https://json.schemastore.org/sarif-2.1.0.json';
  return `{"$schema":"${schema}","version":"2.1.0","runs":[${JSON.stringify(run).slice(0, -1)}`;
}

function ruleObject({ id, group, severity, title, help }: AuditRule): object {
  const text = filled(title, id).slice(0, MAX_DESCRIPTION);
  const mend = filled(help, text);
  return {
    id,
    name: id.replace(/(?:^|-)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()),
    shortDescription: { text },
    fullDescription: { text },
    help: { text: mend, markdown: mend },
    defaultConfiguration: { level: LEVELS[severity] },
    properties: { tags: [group], precision: 'high', 'problem.severity': PROBLEMS[severity] },
  };
}

function resultOf(finding: AuditFinding, rule: AuditRule, summary: AuditSummary, map: readonly MappedFolder[]): object {
  const { url, sources, isNew, since } = finding;
  // The location to fix is the page with the link; without a link, the page itself. GitHub identifies a result by the first location. The
  // pages are sorted by URL, so that this location is the same in the next report, even if ranks have changed.
  const places: readonly Pick<AuditSource, 'url' | 'line'>[] =
    sources.shown.length === 0 ? [{ url }] : sources.shown.toSorted((a, b) => (a.url < b.url ? -1 : 1));
  return {
    ruleId: finding.rule,
    level: LEVELS[finding.severity],
    message: { text: messageOf(finding, rule) },
    locations: places.slice(0, MAX_LOCATIONS).map((place) => locationOf(place, map)),
    partialFingerprints: { primaryLocationLineHash: finding.id },
    ...(summary.since !== undefined && { baselineState: isNew ? 'new' : 'unchanged' }),
    properties: {
      url: clean(url, 2000) || 'unknown',
      impact: finding.impact,
      sources: sources.total,
      ...(dayOf(since) !== '' && { since: momentOf(since) }),
      ...(isNew && { isNew }),
    },
  };
}

/** Returns the message. Its first sentence must be enough, because readers show only this sentence in lists. */
function messageOf({ message, url, since, sources }: AuditFinding, { title, id }: AuditRule): string {
  const first = filled(clean(message, 1000), title, id).replace(/\.$/, '');
  const target = clean(url, 1000);
  const sentences = [first.includes(target) ? first : `${first}: ${target}`];
  if (dayOf(since) !== '') sentences.push(`Since ${dayOf(since)}`);
  if (sources.total > 0) {
    const pages = sources.shown.slice(0, 5).map((source) => clean(source.url, 300));
    const more = sources.total - pages.length;
    const others = more > 0 ? ` and ${figures.number(more)} more` : '';
    sentences.push(`Sources (${figures.number(sources.total)}): ${pages.join(', ')}${others}`);
  }
  return plainMessage(sentences.map((sentence) => `${sentence}.`).join(' '));
}

/** Returns text without SARIF links (`[text](target)`) and without argument placeholders (`{0}`). */
function plainMessage(text: string): string {
  return text.replaceAll('](', '] (').replace(/\{(\d+)\}/g, '{{$1}}');
}

function locationOf({ url, line = 1 }: Pick<AuditSource, 'url' | 'line'>, map: readonly MappedFolder[]): object {
  const row = Math.max(1, Math.floor(line) || 1);
  const region = { startLine: row, startColumn: 1, endLine: row, endColumn: 1 };
  return { physicalLocation: { artifactLocation: { uri: repositoryPath(url, map) }, region } };
}

function notesOf({ over, unsure }: { readonly over: number; readonly unsure: number }): string[] {
  const { quantity, number } = figures;
  const notes = [];
  if (over > 0)
    notes.push(`GitHub keeps ${number(MAX_RESULTS)} results: ${quantity(over, 'finding')} with less impact left out.`);
  if (unsure > 0) notes.push(`Left out, because not verified or inconclusive: ${quantity(unsure, 'finding')}.`);
  return notes;
}

function invocation(summary: AuditSummary, notes: readonly string[]): object {
  const texts = [...missing(summary).map((reason) => `Not complete: ${reason}.`), ...notes];
  return {
    executionSuccessful: true,
    endTimeUtc: momentOf(summary.at) || undefined,
    toolExecutionNotifications: texts.map((text) => ({ level: 'warning', message: { text: plainMessage(text) } })),
  };
}

function filled(...texts: readonly string[]): string {
  return texts.find((text) => text.trim() !== '') ?? 'finding';
}
