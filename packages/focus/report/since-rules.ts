import type { Steps } from '../../util/index.js';
import type { Rule } from '../../core/index.js';

/** Figures of pages that were fetched in one period. */
export interface Yield {
  readonly fetched: number;
  readonly relevant: number;
}

/**
 * Figures of the pages in the scope of a rule. `before`: pages whose last fetch was before the rule became active. `since`: pages whose
 * last fetch was after that.
 */
export interface BeforeAndSince {
  readonly before: Yield;
  readonly since: Yield;
}

/** Figures of the pages of one scope, by the period of their last fetch. A period ends when a rule of the scope becomes active. */
interface Periods {
  /** The times at which rules of this scope became active, ascending, each once. */
  readonly times: readonly number[];
  /** Number of pages in each period. At the end, {@link createSinceRules} turns these numbers into running sums. */
  readonly fetched: number[];
  readonly relevant: number[];
}

interface SinceRules {
  /**
   * Adds a fetched page. It must not be called after `of`.
   * @param host host of the row
   */
  add(host: string, fetchedAt: number, isRelevant: boolean): void;
  of(rule: Pick<Rule, 'scope' | 'changedAt'>): BeforeAndSince;
}

const RULES_PER_STEP = 1000;
const NONE: BeforeAndSince = { before: { fetched: 0, relevant: 0 }, since: { fetched: 0, relevant: 0 } };

/**
 * Counts the pages in the scope of each rule, before and after the rule became active. A row costs one step for each of its scopes. A
 * rule costs two steps, whatever the number of rules.
 * @param rules the active rules
 */
export function* createSinceRules(rules: readonly Rule[]): Steps<SinceRules> {
  const byScope = new Map<string, number[]>();
  for (const [i, { scope, changedAt }] of rules.entries()) {
    if (i % RULES_PER_STEP === 0) yield;
    const times = byScope.get(scope);
    if (times) times.push(changedAt);
    else byScope.set(scope, [changedAt]);
  }
  const periods = new Map<string, Periods>();
  for (const [scope, all] of byScope) {
    const times = all.length === 1 ? all : [...new Set(all)].sort((a, b) => a - b);
    const none = (): number[] => new Array<number>(times.length + 1).fill(0);
    periods.set(scope, { times, fetched: none(), relevant: none() });
    if (periods.size % RULES_PER_STEP === 0) yield;
  }
  let lastHost: string | undefined;
  let around: Periods[] = [];
  let isSummed = false;

  function sumUp(): void {
    isSummed = true;
    for (const { fetched, relevant } of periods.values()) {
      for (let i = 1; i < fetched.length; i++) {
        fetched[i]! += fetched[i - 1]!;
        relevant[i]! += relevant[i - 1]!;
      }
    }
  }

  return {
    add(host, fetchedAt, isRelevant) {
      if (host !== lastHost) {
        lastHost = host;
        around = scopesOf(host).flatMap((scope) => periods.get(scope) ?? []);
      }
      for (const { times, fetched, relevant } of around) {
        const at = heldBy(times, fetchedAt);
        fetched[at]! += 1;
        if (isRelevant) relevant[at]! += 1;
      }
    },

    of({ scope, changedAt }) {
      if (!isSummed) sumUp();
      const found = periods.get(scope);
      if (!found) return NONE;
      const { times, fetched, relevant } = found;
      // The sum of all periods before this rule became active. There is at least one such period.
      const last = heldBy(times, changedAt) - 1;
      const before = { fetched: fetched[last] ?? 0, relevant: relevant[last] ?? 0 };
      return {
        before,
        since: { fetched: fetched.at(-1)! - before.fetched, relevant: relevant.at(-1)! - before.relevant },
      };
    },
  };
}

/** Number of times that are at or before a moment. */
function heldBy(times: readonly number[], at: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

function scopesOf(host: string): string[] {
  const scopes = ['*', `host:${host}`, `domain:${host}`];
  for (let dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1))
    scopes.push(`domain:${host.slice(dot + 1)}`);
  return scopes;
}
