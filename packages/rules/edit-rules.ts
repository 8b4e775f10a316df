import { CrawlError, safeText } from '../errors/index.js';
import type { Rule, StoredRules, Tables } from '../../webtable/index.js';
import { checkRule, type CheckedRule, type NewRule } from './check-rule.js';
import type { LiveRules } from './live-rules.js';
import { contradictionsOf, type Contradiction } from './rule-order.js';

/** What editing rules needs of a crawl. */
export interface RuleTables {
  readonly tables: Pick<Tables, 'rules'>;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Told of each edit. */
  readonly rules?: Pick<LiveRules, 'changed'>;
}

/** What became of rules that were to be added. */
export interface AddedRules {
  /** Those that are new. */
  readonly added: readonly Rule[];
  /** Those that were there already, of which nothing was changed. */
  readonly known: readonly Rule[];
  /** Of those that are new the ones that an active rule contradicts, and which of the two decides. */
  readonly contradictions: readonly Contradiction[];
}

/** Rules that a table may have. */
export const MAX_RULES = 100_000;

/**
 * Adds rules, all or none. One that says what another says already is not added: neither one that is active, nor a generated one that
 * was disabled.
 * @throws CrawlError BAD_RULE
 */
export async function addRules(crawl: RuleTables, given: readonly NewRule[]): Promise<AddedRules> {
  return addChecked(crawl, given.map(checkRule));
}

/**
 * The same of rules that are checked already.
 * @param options `version`: only where the rules are still of this version
 * @throws CrawlError BAD_RULE; STALE_PROPOSAL where they are of another one
 */
export async function addChecked(
  crawl: RuleTables,
  given: readonly CheckedRule[],
  { version }: { readonly version?: string } = {},
): Promise<AddedRules> {
  const now = crawl.clock();
  let added: Rule[] = [];
  let known: Rule[] = [];
  const { rules } = await edit(crawl, (stored, nextId) => {
    added = [];
    known = [];
    if (version !== undefined && stored.version !== version) {
      throw new CrawlError('STALE_PROPOSAL', 'the rules were changed while proposals were checked; none was added', {
        hint: '`webcrawl rules propose` makes new ones by the rules of now',
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
  const contradictions = contradictionsOf(rules).filter(({ decides, idle }) => ids.has(decides) || ids.has(idle));
  return { added, known, contradictions };
}

/**
 * Makes rules active or disables them, all or none.
 * @returns the rules as they are then
 * @throws CrawlError UNKNOWN_RULE
 */
export async function setRuleState(
  crawl: RuleTables,
  ids: readonly string[],
  state: Rule['state'],
): Promise<readonly Rule[]> {
  const changedAt = crawl.clock();
  let after: Rule[] = [];
  await edit(crawl, (stored) => {
    const found = rulesOf(stored, ids);
    const changed = found.filter((rule) => rule.state !== state).map((rule) => ({ ...rule, state, changedAt }));
    const byId = new Map(changed.map((rule) => [rule.id, rule]));
    after = found.map((rule) => byId.get(rule.id) ?? rule);
    return changed.length > 0 ? { put: changed } : undefined;
  });
  return after;
}

/** What became of rules that were to be removed. */
export interface RemovedRules {
  readonly removed: readonly Rule[];
  /** Generated ones, which are only disabled: they say what is never to be generated again. */
  readonly disabled: readonly Rule[];
}

/**
 * Removes rules, all or none. Generated ones stay, disabled, so that they are not generated again.
 * @param options `forget`: remove these as well
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
  await edit(crawl, (stored) => {
    // One that cannot be read can be removed all the same.
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

async function edit(
  { tables, rules }: RuleTables,
  decide: Parameters<Tables['rules']['change']>[0],
): Promise<StoredRules> {
  try {
    return await tables.rules.change(decide);
  } finally {
    rules?.changed();
  }
}

/**
 * Rules by their ids, each once.
 * @throws CrawlError UNKNOWN_RULE
 */
export function rulesOf({ rules }: Pick<StoredRules, 'rules'>, ids: readonly string[]): Rule[] {
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  return [...new Set(ids)].map((id) => {
    const rule = byId.get(id);
    if (rule) return rule;
    throw new CrawlError('UNKNOWN_RULE', `expected the id of a rule, found "${safeText(id, 80)}"`, {
      hint: '`webcrawl rules list` shows them, such as r1',
    });
  });
}

/** What a rule says, whoever said it. */
export function saying(rule: Rule | CheckedRule): string {
  return JSON.stringify([rule.kind, rule.scope, rule.kind === 'www' ? rule.to : rule.pattern]);
}
