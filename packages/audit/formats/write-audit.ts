import { loadWorkbook } from '../../export/index.js';
import type { AuditFinding, AuditReport, AuditRule, AuditSummary } from '../report.js';
import { createGate, type AuditOutcome } from '../gate/outcome.js';
import { parseFailOn } from '../gate/fail-on.js';
import type { AuditFormat } from './audit-formats.js';
import { writeCsv } from './csv.js';
import { writeHtml } from './html/page.js';
import { holdsSources } from './html/rows.js';
import { writeJson, writeNdjson } from './json.js';
import { writeJunit } from './junit.js';
import { writeMarkdown } from './markdown.js';
import { headLines } from './phrases.js';
import { parseMap } from './repository-path.js';
import { writeSarif } from './sarif.js';
import { writeText } from './text.js';
import { writeXlsx } from './xlsx.js';
import type { AuditWriter, FileBeside, Put } from './writer.js';

const WRITERS: Readonly<Record<AuditFormat, AuditWriter>> = {
  text: writeText,
  html: writeHtml,
  csv: writeCsv,
  xlsx: writeXlsx,
  json: writeJson,
  ndjson: writeNdjson,
  sarif: writeSarif,
  junit: writeJunit,
  markdown: writeMarkdown,
};

/** The format of a report, and the conditions under which its audit fails. */
export interface AuditOutputOptions {
  readonly format: AuditFormat;
  /** The rules of the audit; conditions of `failOn` may name them. */
  readonly rules: readonly AuditRule[];
  /** Names separated by commas: rules, groups, severities, `new`, `new:target`, `new:link`. The audit fails if a finding matches. */
  readonly failOn?: readonly string[];
  /** Whether the audit compares with a mark or a time. */
  readonly hasSince?: boolean;
  /** Whether an incomplete audit may pass. */
  readonly allowPartial?: boolean;
  /** For csv and xlsx: a row for each link of a finding. For json and ndjson: `shown` has all links. */
  readonly sources?: boolean;
  /** For sarif: `https://example.com/=site/`, the folders in which pages have their source files. */
  readonly map?: readonly string[];
}

/** The result of writing a report. */
export interface AuditWritten {
  readonly outcome: AuditOutcome;
  /** The missing parts, and the counts, with one part on each line. */
  readonly head: readonly string[];
  /** Notes on data that the output lacks. */
  readonly notes: readonly string[];
}

/** Writes the reports of audits in one format. */
export interface AuditOutput {
  /** Whether the report of this summary needs a second file for its sources. */
  readonly needsBeside: (summary: AuditSummary) => boolean;
  /** Writes a whole report, and decides whether the audit fails. */
  write(report: AuditReport, put: Put, beside?: FileBeside): Promise<AuditWritten>;
}

/**
 * Prepares the output of an audit. A wrong option and a missing package are found here, before the audit begins.
 * @throws CrawlError USAGE, MISSING_PACKAGE
 */
export async function auditOutput(options: AuditOutputOptions): Promise<AuditOutput> {
  const { format, rules, failOn = [], hasSince = false, allowPartial = false, sources = false } = options;
  const conditions = parseFailOn(failOn, { rules, hasSince });
  const map = (options.map ?? []).map(parseMap);
  if (format === 'xlsx') await loadWorkbook();
  return {
    needsBeside: (summary) => format === 'html' && !holdsSources(summary),
    async write({ summary, findings, sourcesOf }, put, beside) {
      const gate = createGate(summary, conditions, allowPartial);
      const failing = new WeakSet<AuditFinding>();
      const judged = async function* (): AsyncGenerator<AuditFinding> {
        for await (const finding of findings) {
          if (gate.fails(finding)) failing.add(finding);
          yield finding;
        }
      };
      const note = await WRITERS[format]({ summary, findings: judged(), sourcesOf }, put, {
        sources,
        map,
        ...(beside && { beside }),
        ...(conditions.length > 0 && { fails: (finding) => failing.has(finding) }),
      });
      return { outcome: gate.outcome(), head: headLines(summary), notes: note === undefined ? [] : [note] };
    },
  };
}
