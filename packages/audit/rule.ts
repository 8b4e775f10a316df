import type { Page, PageRow } from '../core/index.js';
import type { RowTable } from './collect/row-table.js';
import type { ResponseNote, Ending, HostNote } from './collect/records.js';
import type { Sources } from './collect/sources.js';
import type { PageFacts } from './facts/facts.js';
import type { Newness } from './newness.js';
import type { AuditFinding, AuditRule } from './report.js';
import type { Verdict } from './verdict.js';

export interface Found {
  /** Default: the URL of the page or the target. */
  readonly url?: string;
  /**
   * The id of the finding is computed from this key instead of the URL. Therefore a finding on a group keeps its id when the first member
   * of the group changes.
   */
  readonly key?: string;
  /** Distinguishes findings of one rule and URL: a fragment, or the other URL of a pair. */
  readonly part?: string;
  /** Default: the severity of the rule. */
  readonly severity?: AuditFinding['severity'];
  /** Default: `open`. */
  readonly state?: AuditFinding['state'];
  readonly message: string;
  readonly evidence?: AuditFinding['evidence'];
  /** The links of the finding. Default: none. */
  readonly sources?: Sources;
  /** Default: the impact of the sources. If there are no sources: the impact of the page. */
  readonly impact?: number;
  readonly since?: number;
  readonly lastOkAt?: number;
  readonly lastRequestAt?: number;
}

type Findings = Found | readonly Found[] | undefined;

export const AUDIT_FIELDS = [
  'status',
  'fetchedAt',
  'changedAt',
  'bytesChangedAt',
  'firstSeenAt',
  'contentLocation',
  'contentVersions',
  'retries',
  'signature',
  'protocolStatus',
  'parseStatus',
  'contentType',
  'redirectTarget',
  'distance',
  'sitemap',
  'refusedBy',
  'rank',
  'duplicateOf',
  'bodyBytes',
  'fetchMs',
  'inlinkBound',
  'outlinks',
  'title',
  'language',
  'custom',
  'headings',
  'pageMetadata',
  'logged',
] as const satisfies (keyof Page)[];

export type AuditRow = PageRow<(typeof AUDIT_FIELDS)[number]>;

export interface AuditedPage {
  readonly url: string;
  readonly row: AuditRow;
  readonly number: number;
  readonly facts: PageFacts;
  /** Whether the facts of the page are known. Without facts, a rule must not report what the page lacks. */
  readonly hasFacts: boolean;
  readonly isIndexable: boolean;
  readonly saysNotFound: boolean;
}

/** A URL that pages link to or name. */
export interface Target {
  readonly url: string;
  /** The number of its row. Undefined: the table has no row for this URL. */
  readonly row: number | undefined;
  /** Whether a page names it: by a link or part in its facts, as canonical, or as a version in another language. */
  readonly isNamed: boolean;
  readonly isInternal: boolean;
  readonly host: HostNote;
  readonly verdict: Verdict;
  /** The HTTP status; 0: there was no response. */
  readonly http: number;
  /** Whether two successive requests failed, at least a minute apart. */
  readonly isTwice: boolean;
  readonly ending: Ending | undefined;
  readonly response: ResponseNote | undefined;
  readonly marks: number;
  readonly ids: Uint32Array;
  /** Number of ids of this page to which links on the same page lead. */
  readonly ownPlaces: number;
  readonly links: Sources;
  /** Pages that load this URL as a part. */
  readonly parts: Sources;
  /** Pages of https that load this URL by http. */
  readonly mixed: Sources;
  /** Links by fragment. Links of the page to itself are included if the page lacks the fragment. */
  readonly fragments: ReadonlyMap<string, Sources>;
  readonly canonicals: Sources;
  readonly alternates: Sources;
  /** The sitemaps that list this URL. */
  readonly listed: Sources;
  readonly redirects: Sources;
  readonly duplicates: Sources;
}

export interface Site {
  readonly rows: RowTable;
  readonly now: number;
  /** Every page was fetched, so a page without inlinks is an orphan. */
  readonly isComplete: boolean;
  /** Links to other sites were requested. */
  readonly isExternal: boolean;
  urlOf(row: number): Promise<string>;
  /** Returns the row key of a URL on a page, in the form of the crawl. Undefined: no table can hold this URL. */
  keyOf(url: string): string | undefined;
  /** Returns the present row of a URL. Undefined: the table has no row for this URL. */
  look(url: string): Promise<PageRow<'protocolStatus' | 'inlinkCount'> | undefined>;
  /** Returns the facts of the page at a URL. Undefined: they are not known. */
  factsOf(url: string): Promise<PageFacts | undefined>;
  /** Adds a result to a group. One finding is reported for each key, see {@link GroupRule}. */
  group(rule: GroupId, key: string, member: Member): Promise<void> | void;
}

export interface Member {
  readonly row?: number;
  readonly url: string;
  readonly label?: string;
  readonly impact: number;
  readonly isNew?: Newness;
}

export interface Group {
  readonly key: string;
  readonly total: number;
  readonly impact: number;
  /** The members with the highest impact, at most 100. */
  readonly members: readonly Member[];
  /** Number of different members, without regard to the page numbers of lists. */
  readonly distinct: number;
  /** Number of new members, and of those that may be new or not. */
  readonly fresh: number;
  readonly undecided: number;
  /** The new members, at most ten. */
  readonly newUrls: readonly string[];
}

export interface PageRule extends AuditRule {
  readonly on: 'page';
  check(page: AuditedPage, site: Site): Findings | Promise<Findings>;
}

export interface TargetRule extends AuditRule {
  readonly on: 'target';
  check(target: Target, site: Site): Findings | Promise<Findings>;
}

/** The ids of the rules that judge groups. */
export type GroupId =
  | 'description-duplicate'
  | 'description-missing'
  | 'external-unverified'
  | 'hreflang-no-return'
  | 'link-insecure'
  | 'robots-blocked'
  | 'soft-404'
  | 'title-duplicate';

/** A rule that judges groups of results. Other rules have collected these results by `Site.group`. */
export interface GroupRule extends AuditRule {
  readonly on: 'group';
  check(group: Group, site: Site): Findings | Promise<Findings>;
}

export type Rule = PageRule | TargetRule | GroupRule;

type InTable<R> = R extends AuditRule ? Omit<R, 'id' | 'group'> & Partial<Pick<R, 'group'>> : never;

/** Makes rules from a table by id. A rule that names no group belongs to the given one. */
export function createRules(group: string, table: Readonly<Record<string, InTable<Rule>>>): readonly Rule[] {
  return Object.entries(table).map(([id, rule]) => ({ id, group, ...rule }));
}
