import { BadRule, compilePattern, versionOf } from '../patterns/index.js';
import type { Plugin, ScoringFilter } from '../plugin-api/index.js';
import type { HostLeads, Rule, StoredRules, UrlRule, WwwRule } from '../../webtable/index.js';
import { isExplored } from './leads.js';
import { compareRules } from './rule-order.js';
import { createUrlMatcher, type ReadyRule, type UrlMatcher } from './url-matcher.js';
import { isGeneratedReject, versionsOf } from './rule-versions.js';
import { createRewriter, type Rewritten } from './www.js';

/** What is added to the score of a page: settings `scoring.fit`. */
export interface FitScores {
  /** Of one that a `useful` rule matches. */
  readonly score: number;
  /** Of any other, where there is such a rule. */
  readonly other: number;
  /** The share of others that have it too for where pages like them led, see {@link isExplored}. */
  readonly explore: number;
}

/** What a rule on usefulness says of a row that is made. */
export interface FitFields {
  readonly fit?: boolean;
  readonly fitBonus?: number;
}

/** All rules of one version, ready to be asked: one value that never changes. */
export interface RuleSet {
  /** Of {@link StoredRules}. */
  readonly version: string;
  /** As they were read; plain data. */
  readonly stored: StoredRules;
  /** Those that are active, in the order in which they are asked. */
  readonly active: readonly Rule[];
  /** Of those that cannot be used, why; by id. */
  readonly broken: ReadonlyMap<string, string>;
  /** The rules as a plugin, named `rules`, whose filter answers the id of the rule that refuses. Undefined where none is active. */
  readonly plugin: Plugin | undefined;
  /**
   * The `accept` or `reject` rule that decides on a URL; undefined where none matches, so that it is accepted. A `reject` rule that was
   * generated says nothing of a URL that a `useful` rule matches.
   */
  readonly decides: UrlMatcher;
  /** What the `www` rule of its domain makes of a URL; undefined where it is left as it is. */
  rewrite(url: string): Rewritten | undefined;
  /** The first `useful` rule that matches. */
  readonly usefulFor: UrlMatcher;
  /** Whether a URL is worth having; undefined where no rule says what is. */
  fitOf(url: string): boolean | undefined;
  /**
   * The same as fields of a row, with what its score has for it.
   * @param leads where pages of its host have led; absent of a page that was fetched, and where nothing is known
   */
  fitFields(url: string, leads?: HostLeads): FitFields;
  /** Whether it goes by where pages have led: where a rule says what is useful. */
  readonly explores: boolean;
  /** A rule by its id, also one that is disabled. */
  ruleOf(id: string): Rule | undefined;
  /** A list of plugins with that of the rules at its end: for one list always the same, and the list itself where no rule is active. */
  addTo(plugins: readonly Plugin[]): readonly Plugin[];
}

/** The name of the plugin that the rules are. */
export const RULES_PLUGIN = 'rules';

/** Makes rules ready. A rule that cannot be used is left out, and named in `broken`. */
export function compileRules(stored: StoredRules, fit: FitScores): RuleSet {
  const broken = new Map(stored.damaged.map((id) => [id, 'it cannot be read']));
  const byId = new Map(stored.rules.map((rule) => [rule.id, rule]));
  const decisive: ReadyRule[] = [];
  const useful: ReadyRule[] = [];
  const www: WwwRule[] = [];
  for (const rule of stored.rules) {
    if (rule.state !== 'active') continue;
    if (rule.kind === 'www') www.push(rule);
    else {
      try {
        (rule.kind === 'useful' ? useful : decisive).push(ready(rule));
      } catch (error) {
        if (!(error instanceof BadRule)) throw error;
        broken.set(rule.id, error.message);
      }
    }
  }
  const active = stored.rules.filter(({ id, state }) => state === 'active' && !broken.has(id)).sort(compareRules);
  const usefulFor = createUrlMatcher(useful);
  const decides = sparing(decisive, useful.length > 0 ? usefulFor : undefined);
  const rewrite = createRewriter(www);

  const fitOf = (url: string): boolean | undefined => (useful.length === 0 ? undefined : usefulFor(url) !== undefined);
  const bonusOf = (url: string): number => {
    const isFit = fitOf(url);
    return isFit === undefined ? 0 : isFit ? fit.score : fit.other;
  };
  const scoring: ScoringFilter = {
    injected: ({ score, cash }, url) => ({ score: score + bonusOf(url), cash }),
    initial: ({ score, cash }, url) => ({ score: score + bonusOf(url), cash }),
  };
  const plugin: Plugin | undefined =
    active.length === 0
      ? undefined
      : {
          name: RULES_PLUGIN,
          version: versionOf(active.map(({ id }) => id)),
          ...(www.length > 0 && { normalizeUrl: (url) => rewrite(url)?.url ?? url }),
          ...((decisive.length > 0 || www.length > 0) && {
            filterUrl(url, scope) {
              // generate does not normalise: a row that is written otherwise by now is not fetched any more.
              const moved = scope === 'generate' ? rewrite(url) : undefined;
              if (moved) return moved.rule.id;
              const rule = decides(url);
              return rule?.kind === 'reject' ? rule.id : true;
            },
            ruleVersions: versionsOf(active),
          }),
          ...(useful.length > 0 && { scoring }),
        };
  const lists = new WeakMap<readonly Plugin[], readonly Plugin[]>();
  return {
    version: stored.version,
    stored,
    active,
    broken,
    plugin,
    decides,
    rewrite,
    usefulFor,
    fitOf,
    explores: useful.length > 0 && fit.explore > 0,
    fitFields(url, leads) {
      const isFit = fitOf(url);
      if (isFit === undefined) return {};
      const fitBonus = isFit || (leads && isExplored(leads, url, fit.explore)) ? fit.score : fit.other;
      return { fit: isFit, ...(fitBonus !== 0 && { fitBonus }) };
    },
    ruleOf: (id) => byId.get(id),
    addTo(plugins) {
      if (!plugin) return plugins;
      let list = lists.get(plugins);
      if (!list) lists.set(plugins, (list = [...plugins, plugin]));
      return list;
    },
  };
}

/** A matcher in which generated rules refuse nothing that is useful, whatever they were made from. */
function sparing(decisive: readonly ReadyRule[], usefulFor: UrlMatcher | undefined): UrlMatcher {
  const decides = createUrlMatcher(decisive);
  const others = decisive.filter(({ rule }) => !isGeneratedReject(rule));
  if (!usefulFor || others.length === decisive.length) return decides;
  const othersDecide = createUrlMatcher(others);
  return (url) => {
    const rule = decides(url);
    return rule && isGeneratedReject(rule) && usefulFor(url) ? othersDecide(url) : rule;
  };
}

/** @throws BadRule */
function ready(rule: UrlRule): ReadyRule {
  return 'regex' in rule.pattern ? { rule, pattern: compilePattern(rule.pattern.regex) } : { rule };
}
