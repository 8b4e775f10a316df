import type { ErrorCode } from '../errors/index.js';
import type { PrefixNode, PrefixSelection, PrefixStatistics, RuleReport } from '../focus/index.js';
import type { Block } from '../export/index.js';
import type { TableStatus } from '../answers/index.js';
import type { ChangeDiff, Changes, ChangesOptions, LogPlaces, PageRecord } from '../changes/index.js';
import type { Contradiction } from '../rules/index.js';
import type { SearchOptions, SearchResult } from '../search/index.js';
import type { TableOwner, Rule, RulePoint, StoredProposals } from '../core/index.js';

/** The text of a page as it was crawled. All fields except the time are untrusted. */
export interface CachedText {
  readonly url: string;
  readonly title?: string;
  readonly text: string;
  /** The main content. Absent: only the text is known, or may be shown. */
  readonly blocks?: readonly Block[];
  readonly language?: string;
  /** When the page was fetched, in ms since the epoch. */
  readonly fetchedAt?: number;
}

/** The search index of a table, in a status. */
export interface IndexUse {
  /** Number of pages in the index. */
  readonly documents: number;
  /** Size of the index on disk, in bytes. */
  readonly bytes: number;
  /** When the index was last changed, in ms since the epoch. */
  readonly changedAt: number;
}

/** Why the search index cannot be used, although it exists or has existed. */
export interface IndexProblem {
  readonly code: ErrorCode;
  /** A hint on what to do. */
  readonly hint?: string;
}

/** The state of a table, and the process that has the table open. The server takes all its figures from this object. */
export interface CrawlStatus extends TableStatus {
  /** The other process that has the table open. Absent: this process has the table open. */
  readonly owner?: TableOwner;
  /** The search index. Absent: there is no usable index. */
  readonly index?: IndexUse;
  /** Why the index cannot be used. Absent: the index can be used, or there never was one. */
  readonly indexProblem?: IndexProblem;
}

/** A rule, with the numbers of its decisions at each of the last counts, oldest first. Patterns, notes and evidence are untrusted. */
export type ShownRule = Rule & { readonly history: readonly RulePoint[] };

export interface ShownRules {
  /** The version of the rules. Each edit changes it. */
  readonly version: string;
  /** All rules, in order of evaluation. */
  readonly rules: readonly Rule[];
  readonly contradictions: readonly Contradiction[];
  /** For each rule that cannot be used and is ignored: the reason, by id of the rule. */
  readonly broken: Readonly<Record<string, string>>;
}

/** Prefixes of URLs with the figures of their rows. Untrusted text. */
export interface ShownPrefixes {
  /** The statistics from which the prefixes come. Undefined: there are no statistics. */
  readonly statistics: PrefixStatistics | undefined;
  /** Each prefix comes before the prefixes below it. */
  readonly prefixes: readonly PrefixNode[];
  /** Whether there may be more prefixes, because the maximum number of results, or of nodes to read, was reached. */
  readonly more: boolean;
}

export interface RulesSource {
  list(): Promise<ShownRules>;
  /** Returns, by id, the decisions of some rules at each of the last counts of the rows, oldest first. @param signal ends the call */
  histories(ids: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, readonly RulePoint[]>>;
  /** Reports the pages that the rules reject or accept, and the value of the remaining pages. This reads the whole table. */
  report(): Promise<RuleReport>;
  /**
   * @param yes change the rule even if it then rejects a seed, or every page
   * @throws CrawlError UNKNOWN_RULE, RULE_DANGER with its `details`
   */
  setState(id: string, state: Rule['state'], yes: boolean): Promise<void>;
  /**
   * @param most maximum number of prefixes
   * @param signal ends the call
   * @throws CrawlError USAGE, BAD_URL
   */
  prefixes(selection: PrefixSelection, most: number, signal: AbortSignal): Promise<ShownPrefixes>;
  /** Returns the last proposals. Undefined: rules were never proposed. @param signal ends the call */
  proposals(signal: AbortSignal): Promise<StoredProposals | undefined>;
  /**
   * Adds the rule of a proposal, after the conditions of the proposal were checked again. The check reads the whole table.
   * @param list the `id` of the list of proposals
   * @param signal ends the call when it is aborted. If it is aborted before the check is complete, no rule is added
   * @returns the ids of the added rules
   * @throws CrawlError STALE_PROPOSAL, UNKNOWN_PROPOSAL
   */
  applyProposal(list: string, number: number, signal: AbortSignal): Promise<readonly string[]>;
}

/** The source of changes for a server. The cost of each call depends on the number of changes, not on the size of the table. */
export interface ChangesSource {
  /**
   * Reads changes like `crawl.changes`. @throws CrawlError USAGE for an unknown mark or cursor, when the result is read
   * @param signal ends the read
   */
  read(options: ChangesOptions, signal: AbortSignal): Changes;
  /**
   * Compares the text before and after a change. undefined: the change does not affect the text, or the page asks not to show a copy of its
   * text.
   */
  diff(record: PageRecord): Promise<ChangeDiff | undefined>;
  /** Returns where the change log begins and ends, and whether a reader with this cursor has missed changes. */
  places(cursor?: string): Promise<LogPlaces>;
  /** Returns the id of the table. No other table has the same id. */
  tableId(): Promise<string>;
}

/** The source of all data of a server. All functions may reject, with a CrawlError if the reason is known. */
export interface ServeSource {
  search(
    query: string,
    options: Required<Pick<SearchOptions, 'page' | 'fold' | 'signal' | 'languages'>>,
  ): Promise<SearchResult>;
  /** Returns the languages of the index, those with most pages first. Empty: the languages are unknown. */
  languages(): Promise<readonly string[]>;
  /** Returns completions of a query, the best first. */
  suggest(prefix: string, signal: AbortSignal): Promise<readonly string[]>;
  /** Returns the stored text of a page. Undefined: the table does not have the page, or the page allows no copy. */
  cached(url: string, signal: AbortSignal): Promise<CachedText | undefined>;
  status(): Promise<CrawlStatus>;
  readonly rules: RulesSource;
  readonly changes: ChangesSource;
}
