import type {
  ApplyProposalsOptions,
  PrefixNode,
  PrefixSelection,
  PrefixStatistics,
  PrefixStatisticsOptions,
  ProposeOptions,
  ProposeReport,
  RuleEffect,
  RuleReport,
} from '../../focus/index.js';
import type { JobCounters, JobOptions, Report } from '../../jobs/index.js';
import type { AddedRules, ListedRule, NewRule, RemovedRules, RuleList } from '../../rules/index.js';
import type { Rule, RulePoint, StoredProposals } from '../../../webtable/index.js';

/** Options for an edit of rules. */
export interface RuleEditOptions {
  /** Whether to make the edit even if the rules then reject a seed, or every page of the table. Default: false. */
  readonly yes?: boolean;
}

/**
 * The rules of a table, written by hand or proposed by the crawler. They can be changed while a crawl runs, also by another process. A
 * running job uses a change within a second or two. Every edit is made as a whole or not at all. Each function throws CrawlError
 * TABLE_LOCKED or STORE_FAILED if the table cannot be reached or read.
 */
export interface CrawlRules {
  /** Lists all rules in order of evaluation, each with its decisions from the last `count` or `report`. */
  list(): Promise<RuleList>;
  /** Returns one rule. @throws CrawlError UNKNOWN_RULE */
  show(id: string): Promise<ListedRule>;
  /**
   * Counts the decisions of each rule in all rows, and adds the counts to the history of the rule. Reads the whole table. If the signal
   * aborts, it throws the reason of the signal and stores nothing.
   */
  count(options?: JobOptions): Promise<void>;
  /** Returns the decisions of rules at each of the last counts: a list by rule id, oldest first. Default: all rules. */
  history(ids?: readonly string[]): Promise<ReadonlyMap<string, readonly RulePoint[]>>;
  /**
   * Reports the pages that each rule rejects or accepts, and the value of these pages. Reads the whole table. It also stores the counts of
   * each rule, like `count`, except when it is interrupted.
   */
  report(options?: JobOptions): Promise<RuleReport>;

  /**
   * Adds rules, all or none. A rule that equals an existing rule is not added.
   * @throws CrawlError BAD_RULE for a wrong rule; RULE_DANGER, with a `RuleDanger` as its `details`
   */
  add(given: NewRule | readonly NewRule[], options?: RuleEditOptions): Promise<AddedRules>;
  /**
   * Disables rules. They stay in the table, but are not evaluated.
   * @throws CrawlError UNKNOWN_RULE; RULE_DANGER if an `accept` rule is disabled and the other rules then reject a seed or every page
   */
  disable(ids: string | readonly string[], options?: RuleEditOptions): Promise<readonly Rule[]>;
  /** Makes rules active again. @throws CrawlError UNKNOWN_RULE, RULE_DANGER */
  enable(ids: string | readonly string[], options?: RuleEditOptions): Promise<readonly Rule[]>;
  /**
   * Removes rules. Generated rules stay, but disabled, so that they are not generated again.
   * @param options `forget`: removes generated rules too
   * @throws CrawlError UNKNOWN_RULE; RULE_DANGER if an `accept` rule is removed and the other rules then reject a seed or every page
   */
  remove(
    ids: string | readonly string[],
    options?: RuleEditOptions & { readonly forget?: boolean },
  ): Promise<RemovedRules>;
  /** Returns the effect that rules would have on the existing rows. Changes nothing. @throws CrawlError BAD_RULE */
  test(given: NewRule | readonly NewRule[], options?: Pick<JobOptions, 'signal'>): Promise<RuleEffect>;
  /**
   * Adds rules from lines of JSON, as `export` writes them, all or none. Empty lines are ignored. The rules get new ids of this table.
   * @throws CrawlError BAD_RULE that names the first wrong line; RULE_DANGER
   */
  import(lines: Iterable<string> | AsyncIterable<string>, options?: RuleEditOptions): Promise<AddedRules>;
  /** Yields the rules as lines of JSON, oldest first. Rules that cannot be read are left out. */
  export(): AsyncGenerator<string>;
  /**
   * Applies the rules to the existing rows: marks relevant pages, and moves pages to the form of host that a `www` rule prefers. New rows
   * get both when they are created.
   */
  apply(options?: JobOptions): Promise<Report<JobCounters<'rules apply'>>>;

  /**
   * Proposes rules from the rows of the table. No proposed rule rejects a relevant page, a seed, or a page that a rule made by hand
   * accepts. With `apply` it also adds them, and applies the `www` rules among them to the existing rows.
   * @throws CrawlError BAD_RULE for a wrong `domain`; STALE_PROPOSAL if other rules were changed meanwhile; STORE_FULL, BAD_OUTPUT
   */
  propose(options?: ProposeOptions): Promise<ProposeReport>;
  /**
   * Returns the last proposals that were not added yet. undefined: rules were never proposed. Proposals that cannot be read are left out,
   * and counted in `damaged`.
   */
  proposals(): Promise<StoredProposals | undefined>;
  /**
   * Checks the conditions of proposed rules again, then adds the rules, all or none. `www` rules are applied to the existing rows.
   * @throws CrawlError UNKNOWN_PROPOSAL, STALE_PROPOSAL; BAD_RULE for a rule that cannot be used; STORE_FULL, BAD_OUTPUT; the reason of
   * `signal`
   */
  applyProposals(options?: ApplyProposalsOptions): Promise<AddedRules>;

  /** Statistics of the pages by path prefix, and by name of query parameter. */
  readonly prefixes: {
    /**
     * Counts the rows. The result replaces the last statistics of the same rows when the count is complete.
     * @throws CrawlError USAGE for a wrong `min` or `depth`, BAD_URL for a wrong domain
     */
    make(options?: PrefixStatisticsOptions): Promise<Report<JobCounters<'prefixes'>>>;
    /**
     * Describes the newest statistics that cover a domain, or the whole table. undefined: there are none.
     * @throws CrawlError BAD_URL for a wrong domain
     */
    latest(selection?: Pick<PrefixSelection, 'domain'>): Promise<PrefixStatistics | undefined>;
    /**
     * Yields prefixes of the newest statistics in the order of row keys, each followed by its parameters and the prefixes below it.
     * @throws CrawlError USAGE, BAD_URL
     */
    read(selection?: PrefixSelection): AsyncGenerator<PrefixNode>;
  };
}
