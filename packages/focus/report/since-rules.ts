import type { Rule } from '../../../webtable/index.js';

/** Pages by when they were last fetched. */
export interface Yield {
  readonly fetched: number;
  readonly useful: number;
}

/** What pages of the hosts of a rule were worth, last fetched before it held, and since. */
export interface BeforeAndSince {
  readonly before: Yield;
  readonly since: Yield;
}

/** The pages of one scope, by which of its rules held when they were last fetched. */
interface Periods {
  /** When its rules came to hold, ascending, each once. */
  readonly times: readonly number[];
  /** One more than `times`. */
  readonly fetched: number[];
  readonly useful: number[];
}

/**
 * Sorts the pages of each rule's scope into those last fetched before it held, and those fetched since. A row costs a step for each
 * scope that it is in, whatever the number of rules.
 * @param rules active ones
 */
export function createSinceRules(rules: readonly Rule[]) {
  const periods = new Map<string, Periods>();
  for (const scope of new Set(rules.map((rule) => rule.scope))) {
    const of = rules.filter((rule) => rule.scope === scope).map(({ changedAt }) => changedAt);
    const times = [...new Set(of)].sort((a, b) => a - b);
    const none = (): number[] => new Array<number>(times.length + 1).fill(0);
    periods.set(scope, { times, fetched: none(), useful: none() });
  }
  let lastHost: string | undefined;
  let around: Periods[] = [];

  return {
    /** A page that was fetched. @param host of the row */
    add(host: string, fetchedAt: number, isUseful: boolean): void {
      if (host !== lastHost) {
        lastHost = host;
        around = scopesOf(host).flatMap((scope) => periods.get(scope) ?? []);
      }
      for (const { times, fetched, useful } of around) {
        const at = heldBy(times, fetchedAt);
        fetched[at]! += 1;
        if (isUseful) useful[at]! += 1;
      }
    },

    of({ scope, changedAt }: Rule): BeforeAndSince {
      const found = periods.get(scope);
      if (!found) return { before: { fetched: 0, useful: 0 }, since: { fetched: 0, useful: 0 } };
      const first = heldBy(found.times, changedAt);
      const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
      return {
        before: { fetched: sum(found.fetched.slice(0, first)), useful: sum(found.useful.slice(0, first)) },
        since: { fetched: sum(found.fetched.slice(first)), useful: sum(found.useful.slice(first)) },
      };
    },
  };
}

/** How many of the times had come at a moment. */
function heldBy(times: readonly number[], at: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** All scopes that the URLs of a host are in. */
function scopesOf(host: string): string[] {
  const scopes = ['*', `host:${host}`, `domain:${host}`];
  for (let dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1))
    scopes.push(`domain:${host.slice(dot + 1)}`);
  return scopes;
}
