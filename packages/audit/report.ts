/** The severity of a finding: an error is wrong for every visitor, a warning for some; a notice is worth a look. */
export type Severity = 'error' | 'warn' | 'notice';

/** A rule of the audit, as `auditRules` lists it. */
export interface AuditRule {
  readonly id: string;
  readonly group: string;
  readonly severity: Severity;
  readonly title: string;
  /** How to fix the fault. */
  readonly help: string;
}

/** A page with a link of a finding. */
export interface AuditSource {
  readonly url: string;
  readonly anchor: string;
  /** The kind of link: a, img, link, sitemap … */
  readonly kind: string;
  readonly line?: number;
}

/** One fault of one target. */
export interface AuditFinding {
  /**
   * A hash of the rule and the target (and of the fragment or the pair). It does not depend on source pages, so it stays the same in later
   * audits.
   */
  readonly id: string;
  readonly rule: string;
  readonly severity: Severity;
  readonly url: string;
  readonly message: string;
  /** `unverified`: the server or robots.txt keeps the crawler out. `inconclusive`: data that the rule needs was not read. */
  readonly state: 'open' | 'unverified' | 'inconclusive';
  /** The times `since`, `lastOkAt` and `lastRequestAt` are in ms since the epoch. */
  readonly since?: number;
  readonly lastOkAt?: number;
  readonly lastRequestAt?: number;
  /** With `--since`: the page or the target was no fault at the mark, or no page had the link. */
  readonly isNew?: 'target' | 'link';
  /** The sum, over the linking pages, of the rank of the page divided by its number of links. Without ranks: the number of inlinks. */
  readonly impact: number;
  readonly evidence: Readonly<Record<string, string | number | readonly string[]>>;
  /** The number of pages with a link, and a link of each of the ten with the highest rank. */
  readonly sources: { readonly total: number; readonly shown: readonly AuditSource[] };
}

/** The extent of an audit, and the counts of its findings. */
export interface AuditSummary {
  readonly version: 1;
  readonly at: number;
  readonly scope: readonly string[];
  readonly since?: number;
  /** With `since`: number of findings that may be new or not, because `db.keepVersions` keeps too few bodies. */
  readonly undecided?: number;
  readonly complete: boolean;
  readonly because: readonly string[];
  readonly pages: number;
  readonly links: number;
  readonly counts: {
    readonly error: number;
    readonly warn: number;
    readonly notice: number;
    readonly unverified: number;
    readonly new: number;
  };
  readonly rules: readonly AuditRule[];
  /** Number of findings that were ignored. */
  readonly ignored?: number;
  /** Entries for ignored findings that matched no finding in this audit. */
  readonly unusedIgnores?: readonly string[];
}

/**
 * Findings are ordered by severity, then by impact. There may be 100,000, so writers must stream. The summary is known before the first
 * finding is read.
 */
export interface AuditReport {
  readonly summary: AuditSummary;
  readonly findings: AsyncIterable<AuditFinding>;
  /**
   * Every link of a finding of this report, by page. If a page has a link several times, it is returned once for each element, fragment and
   * target. Read the links while the report is open.
   */
  sourcesOf(finding: AuditFinding): AsyncIterable<AuditSource>;
}
