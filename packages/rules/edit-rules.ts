import { CrawlError, safeText } from '../errors/index.js';
import type { Rule, StoredRules, Tables } from '../../webtable/index.js';
import { checkRule, type CheckedRule, type NewRule } from './check-rule.js';
import { contradictionsOf, type Contradiction } from './rule-order.js';

interface RuleTables {
  readonly tables: Pick<Tables, 'rules'>;
  readonly clock: () => number;
}

/** The result of adding rules. */
export interface AddedRules {
  /** The new rules. */
  readonly added: readonly Rule[];
  /** Rules that existed already. They are unchanged. */
  readonly known: readonly Rule[];
  /** Contradictions between a new rule and an active one, each with the rule that decides. */
  readonly contradictions: readonly Contradiction[];
}

const MAX_RULES = 100_000;

/**
 * Adds rules, all or none. A rule is not added if it equals an active rule, or a generated rule that was disabled.
 * @throws CrawlError BAD_RULE
 */
export async function addRules(crawl: RuleTables, given: readonly NewRule[]): Promise<AddedRules> {
  return addChecked(crawl, given.map(checkRule));
}

/**
 * Adds rules that {@link checkRule} has accepted, all or none.
 * @param options `version`: add the rules only if the table still has this version of its rules
 * @throws CrawlError BAD_RULE; STALE_PROPOSAL if the table has another version
 */
export async function addChecked(
  crawl: RuleTables,
  given: readonly CheckedRule[],
  { version }: { readonly version?: string } = {},
): Promise<AddedRules> {
  const now = crawl.clock();
  let added: Rule[] = [];
  let known: Rule[] = [];
  const { rules } = await crawl.tables.rules.change((stored, nextId) => {
    added = [];
    known = [];
    if (version !== undefined && stored.version !== version) {
      throw new CrawlError('STALE_PROPOSAL', 'the rules were changed while proposals were checked; no rule was added', {
        hint: '`webcrawl rules propose` makes new proposals with the present rules',
      });
    }
    const there = new Map(stored.rules.map((rule) => [saying(rule), rule]));
    for (const rule of given) {
      const before = there.get(saying(rule));
      if (before) known.push(before);
      else {
        const made = { createdAt: now, ...rule, id: nextId(), changedAt: now } as Rule;
        there.set(saying(made), made);
        added.push(made);
      }
    }
    if (stored.rules.length + added.length > MAX_RULES) {
      throw new CrawlError(
        'BAD_RULE',
        `expected at most ${MAX_RULES} rules, found ${stored.rules.length + added.length}`,
      );
    }
    return added.length > 0 ? { put: added } : undefined;
  });
  const ids = new Set(added.map(({ id }) => id));
  const contradictions = (await contradictionsOf(rules)).filter(
    ({ decides, idle }) => ids.has(decides) || ids.has(idle),
  );
  return { added, known, contradictions };
}

/**
 * Activates or disables rules, all or none.
 * @returns the changed rules
 * @throws CrawlError UNKNOWN_RULE
 */
export async function setRuleState(
  crawl: RuleTables,
  ids: readonly string[],
  state: Rule['state'],
): Promise<readonly Rule[]> {
  const changedAt = crawl.clock();
  let after: Rule[] = [];
  await crawl.tables.rules.change((stored) => {
    const found = rulesOf(stored, ids);
    const changed = found.filter((rule) => rule.state !== state).map((rule) => ({ ...rule, state, changedAt }));
    const byId = new Map(changed.map((rule) => [rule.id, rule]));
    after = found.map((rule) => byId.get(rule.id) ?? rule);
    return changed.length > 0 ? { put: changed } : undefined;
  });
  return after;
}

/** The result of removing rules. */
export interface RemovedRules {
  readonly removed: readonly Rule[];
  /** Generated rules that are disabled instead of removed, so that the same rules are not generated again. */
  readonly disabled: readonly Rule[];
}

/**
 * Removes rules, all or none. Generated rules are disabled instead, so that the same rules are not generated again.
 * @param options `forget`: removes generated rules too
 * @throws CrawlError UNKNOWN_RULE
 */
export async function removeRules(
  crawl: RuleTables,
  ids: readonly string[],
  { forget = false }: { readonly forget?: boolean } = {},
): Promise<RemovedRules> {
  const changedAt = crawl.clock();
  let removed: Rule[] = [];
  let disabled: Rule[] = [];
  await crawl.tables.rules.change((stored) => {
    // A rule that cannot be read can be removed too.
    const damaged = ids.filter((id) => stored.damaged.includes(id));
    const found = rulesOf(
      stored,
      ids.filter((id) => !damaged.includes(id)),
    );
    const isKept = ({ origin }: Rule): boolean => origin === 'generated' && !forget;
    removed = found.filter((rule) => !isKept(rule));
    disabled = found.filter(isKept).map((rule) => ({ ...rule, state: 'disabled', changedAt }));
    const remove = [...removed.map(({ id }) => id), ...damaged];
    return remove.length + disabled.length > 0 ? { put: disabled, remove } : undefined;
  });
  return { removed, disabled };
}

/**
 * Returns the rules with these ids, each once.
 * @throws CrawlError UNKNOWN_RULE
 */
export function rulesOf({ rules }: Pick<StoredRules, 'rules'>, ids: readonly string[]): Rule[] {
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  return [...new Set(ids)].map((id) => {
    const rule = byId.get(id);
    if (rule) return rule;
    throw new CrawlError('UNKNOWN_RULE', `no rule has the id "${safeText(id, 80)}"`, {
      hint: '`webcrawl rules list` shows the ids, such as r1',
    });
  });
}

/**
 * Returns the content of a rule as a key. Two rules with equal content have equal keys, even if a user made one and the other is
 * generated.
 */
export function saying(rule: Rule | CheckedRule): string {
  return JSON.stringify([rule.kind, rule.scope, rule.kind === 'www' ? rule.to : rule.pattern]);
}
