import type { Rule, StoredRules, WwwRule } from '../../webtable/index.js';
import type { Plugin } from './plugin.js';

export const RULES_PLUGIN = 'rules';

/** What is added to the score of a page because of relevance, see the settings `scoring.relevant`. */
export interface RelevanceScores {
  /** The score for a page that a `relevant` rule matches. */
  readonly score: number;
  /** The score for any other page, if the table has a `relevant` rule. */
  readonly other: number;
}

/** The relevance fields of a row. */
export interface RelevanceFields {
  readonly relevant?: boolean;
  readonly relevantBonus?: number;
}

/** The rules of a table at one moment. A set never changes. */
export interface TableRuleSet {
  /** A text that differs after every edit of the rules. Empty if the rules were never edited. */
  readonly version: string;
  /** The rules as they are stored. Plain data. */
  readonly stored: StoredRules;
  /** The rules as a plugin with the name `rules`. Its filter returns the id of the rule that rejects a URL. undefined if no rule is active. */
  readonly plugin: Plugin | undefined;
  /**
   * Returns the `accept` or `reject` rule that decides on a URL. Returns undefined if no rule matches; then the URL is accepted. If a
   * `relevant` rule matches a URL, generated `reject` rules do not apply to this URL.
   */
  decides(url: string): Rule | undefined;
  /** Rewrites a URL by the `www` rule of its domain. Returns undefined if the URL does not change. */
  rewrite(url: string): Rewritten | undefined;
  /** Returns the first `relevant` rule that matches a URL. */
  relevantRule(url: string): Rule | undefined;
  /** Whether a URL is relevant. Returns undefined if there is no `relevant` rule. */
  relevanceOf(url: string): boolean | undefined;
  /** Returns whether a URL is relevant, and its score bonus, as fields of a row. Call it after the scoring filters have computed the score. */
  relevanceFields(url: string): RelevanceFields;
  /** Returns the rule with an id, even if the rule is disabled. */
  ruleOf(id: string): Rule | undefined;
  /** Describes the rule with an id in words: its text, id, author and time. The words are safe for a terminal. */
  describe(id: string): string | undefined;
  /**
   * Adds the plugin of the rules to the end of a list of plugins. For the same list, the result is always the same object. If no rule is
   * active, the result is the given list.
   */
  addTo(plugins: readonly Plugin[]): readonly Plugin[];
}

/** A URL that a `www` rule has changed. */
export interface Rewritten {
  readonly url: string;
  readonly rule: WwwRule;
}

/** The rules of a table, for jobs that run while rules may be changed. */
export interface TableRules {
  /**
   * Returns the rules that are in force now. An edit by another process is noticed within a second. An edit through the same `Tables` is
   * noticed at once. The result is the same object until the rules change.
   */
  current(): Promise<TableRuleSet>;
}

/** Compiles stored rules. Parse threads call this function, because they receive rules as plain data. */
export type CompileTableRules = (stored: StoredRules, scores: RelevanceScores) => Promise<TableRuleSet>;
