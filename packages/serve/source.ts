import type { ErrorCode } from '../errors/index.js';
import type { PrefixNode, PrefixSelection, PrefixStatistics, RuleReport } from '../focus/index.js';
import type { TableStatus } from '../jobs/index.js';
import type { Contradiction } from '../rules/index.js';
import type { SearchOptions, SearchResult } from '../search/index.js';
import type { Holder, Rule, RuleCounts, RulePoint, StoredProposals } from '../../webtable/index.js';

/** The text of a page as it was crawled. All but the time is untrusted. */
export interface CachedText {
  readonly url: string;
  readonly title?: string;
  readonly text: string;
  /** BCP 47. */
  readonly language?: string;
  /** In ms since the epoch. */
  readonly fetchedAt?: number;
}

/** The search index of a table, in a status. */
export interface IndexUse {
  /** Pages that it finds. */
  readonly documents: number;
  /** Bytes on the disk. */
  readonly bytes: number;
  /** When it was last changed, in ms since the epoch. */
  readonly changedAt: number;
}

/** Why an index that is there cannot be used. */
export interface IndexProblem {
  readonly code: ErrorCode;
  /** What to do. */
  readonly hint?: string;
}

/** What goes on at a table, and in which process; the one object that all figures come from. */
export interface CrawlStatus extends TableStatus {
  /** The other process that has the table open; absent where this one has. */
  readonly holder?: Holder;
  /** The search index; absent where there is none, or none that can be used. */
  readonly index?: IndexUse;
  /** Absent where the index can be used, or there is none yet. */
  readonly indexProblem?: IndexProblem;
}

/** A rule with what it has decided. Patterns, notes and evidence are untrusted. */
export type ShownRule = Rule & { readonly counts: RuleCounts };

/** All rules of a table. */
export interface ShownRules {
  /** Differs after every edit. */
  readonly version: string;
  /** In the order in which they are asked. */
  readonly rules: readonly Rule[];
  readonly contradictions: readonly Contradiction[];
  /** Of those that cannot be used, and are not asked, why; by id. */
  readonly broken: Readonly<Record<string, string>>;
}

/** Prefixes of URLs, with their rows. Untrusted text. */
export interface ShownPrefixes {
  /** What they are of; undefined where no statistics were made. */
  readonly statistics: PrefixStatistics | undefined;
  /** A prefix before those below it. */
  readonly prefixes: readonly PrefixNode[];
  /** There may be more: as many as were asked for were found, or as many were looked at as one request may. */
  readonly more: boolean;
}

/** Where a server gets the rules, and has them changed. */
export interface RulesSource {
  list(): Promise<ShownRules>;
  /** What some rules have decided by now, by id. */
  counts(ids: readonly string[]): Promise<ReadonlyMap<string, RuleCounts>>;
  /** What some rules have decided over time, by id; oldest first. */
  histories(ids: readonly string[]): Promise<ReadonlyMap<string, readonly RulePoint[]>>;
  /** What the rules cut or let through, and what the pages are worth. Reads the whole table. */
  report(): Promise<RuleReport>;
  /**
   * Makes a rule active, or disables it.
   * @param yes also where that cuts a seed, or every page
   * @throws CrawlError UNKNOWN_RULE, RULE_DANGER with its `details`
   */
  setState(id: string, state: Rule['state'], yes: boolean): Promise<void>;
  /**
   * The statistics that were made last.
   * @param most prefixes
   * @throws CrawlError USAGE, BAD_URL
   */
  prefixes(selection: PrefixSelection, most: number): Promise<ShownPrefixes>;
  /** The rules that were proposed last; undefined where none were ever. */
  proposals(): Promise<StoredProposals | undefined>;
  /**
   * Adds one of them, whose conditions are checked anew, which reads the whole table.
   * @param list its `id`
   * @param signal ends it; where that is before the rule was added, none is
   * @returns the ids of rules that were added
   * @throws CrawlError STALE_PROPOSAL, UNKNOWN_PROPOSAL
   */
  applyProposal(list: string, number: number, signal: AbortSignal): Promise<readonly string[]>;
}

/** Where a server gets what it shows. All may reject, with a CrawlError where the reason is known. */
export interface ServeSource {
  search(query: string, options: Required<Pick<SearchOptions, 'page' | 'fold' | 'signal'>>): Promise<SearchResult>;
  /** Queries that begin so, the best first. */
  suggest(prefix: string, signal: AbortSignal): Promise<readonly string[]>;
  /** undefined: there is no such page, or it wants no copy to be shown. */
  cached(url: string): Promise<CachedText | undefined>;
  status(): Promise<CrawlStatus>;
  readonly rules: RulesSource;
}
