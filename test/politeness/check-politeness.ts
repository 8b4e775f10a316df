import { isRefusal, isRobots, type AccessEntry } from './access-log.js';

/** A reason for which a request may have to wait. */
export type Wait = 'overlap' | 'delay' | 'crawl-delay' | 'retry-after' | 'retry-date' | 'backoff';

/** The rules for the crawler, in seconds. */
export interface PolitenessRules {
  readonly serverDelay: number;
  readonly minBackoffSeconds: number;
  readonly maxBackoffSeconds: number;
}

/** A request that came earlier than its host allowed. */
export interface Violation {
  readonly rule: Wait;
  readonly url: string;
  readonly arrived: number;
  /** How many ms too early it was. */
  readonly early: number;
}

/** What an access log proves. */
export interface Findings {
  readonly violations: readonly Violation[];
  /** How many requests had to wait, by the rule with the longest wait. */
  readonly waits: Readonly<Record<Wait, number>>;
  /** The longest of these waits in ms. */
  readonly longest: Readonly<Record<Wait, number>>;
  /** The number of these waits that began before a kill and were not over when the next process sent its first request. */
  readonly acrossKills: Readonly<Record<Wait, number>>;
  /** The number of refusals that do not count, because the crawler was killed at that moment. */
  readonly unsettled: number;
}

/** Timers count whole milliseconds, and may fire one millisecond early. */
export const TOLERANCE = 2;

/** An answer that ends less than this many ms before a kill may not have been stored; the machine may be busy. */
export const SETTLE = 1000;

/** Until this many ms after a kill a last request may arrive; the next process first waits for its delay. */
const STRAY = 500;

/** A wait that one request causes for later ones. */
interface Hold {
  readonly rule: Wait;
  readonly by: AccessEntry;
  readonly until: number;
}

/** Whether the crawler may have died before it stored this answer, which takes it at most `settle` ms. */
export function isUnsettled({ arrived, ended }: AccessEntry, kills: readonly number[], settle = SETTLE): boolean {
  return kills.some((kill) => arrived < kill + STRAY && ended > kill - settle);
}

/**
 * Reads the log host by host and finds every request that was too early.
 *
 * - A host gets one request at a time, robots.txt included.
 * - A request waits `serverDelay` from the end of the previous one of its host, and the Crawl-delay from the end of the
 * previous one of its origin, if the robots.txt of that origin has one. RFC 9309 does not say whether a request for robots.txt
 * counts; here it does, because every request costs the host the same.
 * - After a refusal with `Retry-After`, the whole host gets no request for that time; after the n-th refusal in a row without
 * it, for `minBackoffSeconds * 2^(n-1)`, at most `maxBackoffSeconds`. Both apply to robots.txt, too.
 *
 * A refusal that the crawler may not have stored before a kill does not apply, and is counted. A Crawl-delay that it may not
 * have stored does not apply either.
 */
export function checkPoliteness(
  log: readonly AccessEntry[],
  kills: readonly number[],
  rules: PolitenessRules,
): Findings {
  const violations: Violation[] = [];
  const waits = noWaits();
  const longest = noWaits();
  const acrossKills = noWaits();
  let unsettled = 0;
  const firstAfter = kills.map((kill) => ({
    kill,
    first: Math.min(...log.map(({ arrived }) => arrived).filter((arrived) => arrived > kill + STRAY)),
  }));

  for (const entries of byHost(log)) {
    const refusals = refusalHolds(entries, kills, rules);
    unsettled += entries.filter((entry) => isRefusal(entry) && isUnsettled(entry, kills)).length;
    for (const [i, entry] of entries.entries()) {
      const earlier = entries.slice(0, i);
      const holds = [...delayHolds(entry, earlier, kills, rules), ...refusals.filter(({ by }) => earlier.includes(by))];
      const byRule = longestByRule(holds.filter(({ rule, by }) => rule === 'overlap' || isAnswered(by, entry)));
      for (const { rule, until } of byRule) {
        const early = until - entry.arrived;
        if (early > TOLERANCE) violations.push({ rule, url: urlOf(entry), arrived: entry.arrived, early });
      }
      const last = byRule[0];
      if (!last) continue;
      waits[last.rule]++;
      longest[last.rule] = Math.max(longest[last.rule], last.until - last.by.ended);
      if (firstAfter.some(({ kill, first }) => last.by.ended < kill && first < last.until)) acrossKills[last.rule]++;
    }
  }
  return { violations, waits, longest, acrossKills, unsettled };
}

function noWaits(): Record<Wait, number> {
  return { overlap: 0, delay: 0, 'crawl-delay': 0, 'retry-after': 0, 'retry-date': 0, backoff: 0 };
}

/** The entries of each host, by arrival. */
function byHost(log: readonly AccessEntry[]): AccessEntry[][] {
  const hosts = new Map<string, AccessEntry[]>();
  for (const entry of [...log].sort((a, b) => a.arrived - b.arrived)) {
    const entries = hosts.get(entry.host);
    if (entries) entries.push(entry);
    else hosts.set(entry.host, [entry]);
  }
  return [...hosts.values()];
}

/** Whether the answer had ended before the other request arrived. */
function isAnswered({ ended }: AccessEntry, { arrived }: AccessEntry): boolean {
  return ended <= arrived + TOLERANCE;
}

/** The longest wait of each rule, the longest of all first. */
function longestByRule(holds: readonly Hold[]): Hold[] {
  const byRule = new Map<Wait, Hold>();
  for (const hold of [...holds].sort((a, b) => b.until - a.until)) {
    if (!byRule.has(hold.rule)) byRule.set(hold.rule, hold);
  }
  return [...byRule.values()];
}

/** The waits that earlier requests cause, without regard to their status. */
function delayHolds(
  entry: AccessEntry,
  earlier: readonly AccessEntry[],
  kills: readonly number[],
  rules: PolitenessRules,
): Hold[] {
  const crawlDelay = statedDelay(entry, earlier, kills);
  return earlier.flatMap((by) => {
    const holds: Hold[] = [
      { rule: 'overlap', by, until: by.ended },
      { rule: 'delay', by, until: by.ended + rules.serverDelay * 1000 },
    ];
    if (crawlDelay !== undefined && by.scheme === entry.scheme) {
      holds.push({ rule: 'crawl-delay', by, until: by.ended + crawlDelay * 1000 });
    }
    return holds;
  });
}

/** The Crawl-delay of the last robots.txt of this origin that the crawler must have stored. */
function statedDelay(
  entry: AccessEntry,
  earlier: readonly AccessEntry[],
  kills: readonly number[],
): number | undefined {
  const isItsRobots = (one: AccessEntry): boolean =>
    isRobots(one) && one.status === 200 && one.scheme === entry.scheme && isAnswered(one, entry);
  return earlier.findLast((one) => isItsRobots(one) && !isUnsettled(one, kills))?.crawlDelay;
}

/** The wait after each refusal. */
function refusalHolds(entries: readonly AccessEntry[], kills: readonly number[], rules: PolitenessRules): Hold[] {
  const holds: Hold[] = [];
  let inARow = 0;
  for (const by of [...entries].sort((a, b) => a.ended - b.ended)) {
    if (!isRefusal(by)) inARow = 0;
    // It is unknown whether the crawler counted it, so it does not make the next wait longer either.
    if (!isRefusal(by) || by.cut || isUnsettled(by, kills)) continue;
    inARow++;
    const { ended, retryAfter = '' } = by;
    const date = Date.parse(retryAfter);
    if (/^\d+$/.test(retryAfter)) {
      holds.push({ rule: 'retry-after', by, until: ended + Number(retryAfter) * 1000 });
    } else if (retryAfter.endsWith('GMT') && !Number.isNaN(date)) {
      holds.push({ rule: 'retry-date', by, until: date });
    } else {
      const seconds = Math.min(rules.maxBackoffSeconds, rules.minBackoffSeconds * 2 ** (inARow - 1));
      holds.push({ rule: 'backoff', by, until: ended + seconds * 1000 });
    }
  }
  return holds;
}

function urlOf({ scheme, host, path }: AccessEntry): string {
  return `${scheme}://${host}${path}`;
}
