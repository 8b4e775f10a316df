import type { Tables } from '../../webtable/index.js';
import { takeDifferences, type RuleDifferences } from './rule-tally.js';
import { compileRules, type FitScores, type RuleSet } from './compile-rules.js';

/** The rules of a table as they are now, for jobs that go on while they change. */
export interface LiveRules {
  /**
   * The rules that hold now. Whether they have changed is looked up at most once a second, whoever changes them, and at once after
   * {@link changed}. The value is the same as long as the rules are.
   */
  current(): Promise<RuleSet>;
  /** Says that the rules were changed. */
  changed(): void;
  /** Notes that of a stored page rules have cut so many links more, or less, by id. */
  cutLinks(differences: Readonly<Record<string, number>>): void;
  /**
   * Stores what rules have decided since it was last stored, and notes it in their histories. While {@link current} is called, the one is
   * done every few seconds, and the other once a minute; what the store did not take is stored the next time. What a kill loses of it
   * can be counted anew from the rows, but for a point or two of a history.
   */
  flush(): Promise<void>;
}

/** Milliseconds for which it is not looked again. */
const FRESH = 1000;
/** Milliseconds, at the most, between two looks at rules of which an edit was announced and is not there. */
const LONGEST_LOOK = 60_000;
/** Milliseconds after which counts are stored. */
const STORED = 3000;
/** Milliseconds after which they are noted in the histories. */
const NOTED = 60_000;
/** Rules that are noted at once. */
const AT_ONCE = 500;

/**
 * @param now milliseconds by a clock that is never set back
 * @param clock milliseconds since the epoch
 */
export function createLiveRules(
  tables: Pick<Tables, 'rules' | 'tally'>,
  fit: FitScores,
  now: () => number = () => performance.now(),
  clock: () => number = Date.now,
): LiveRules {
  let set: RuleSet | undefined;
  let lookedAt = -Infinity;
  let looking: Promise<RuleSet> | undefined;
  /** How often it was said that they have changed. */
  let changes = 0;
  /** The version that an edit has announced without its rules: it is being made yet, or was killed. */
  let announced = { version: '', wait: 0, until: -Infinity };
  const links = new Map<string, number>();
  /** What the store has not taken yet. */
  const owed: RuleDifferences = new Map();
  /** Rules of which counts were stored that are not in their histories yet. */
  const unnoted = new Set<string>();
  let storedAt = -Infinity;
  let notedAt = -Infinity;
  let storing: Promise<void> = Promise.resolve();

  async function look(): Promise<RuleSet> {
    const seen = changes;
    lookedAt = now();
    try {
      const version = await tables.rules.version();
      if (set?.version === version) return set;
      const isAnnounced = announced.version === version;
      if (set && isAnnounced && now() < announced.until) return set;
      const stored = await tables.rules.read();
      // Where an edit is under way the rules are still those before it. One that was killed would be waited for for ever.
      const wait = isAnnounced ? Math.min(2 * announced.wait, LONGEST_LOOK) : FRESH;
      if (stored.version !== version) announced = { version, wait, until: now() + wait };
      const found = set?.version === stored.version ? set : compileRules(stored, fit);
      if (seen === changes) set = found;
      return found;
    } catch (error) {
      lookedAt = -Infinity;
      throw error;
    } finally {
      if (seen === changes) looking = undefined;
    }
  }

  async function storeCounts(): Promise<void> {
    takeDifferences(tables, set, links, owed);
    if (owed.size === 0) return;
    await tables.rules.addCounts(owed);
    for (const id of owed.keys()) unnoted.add(id);
    owed.clear();
  }

  async function note(most = Infinity): Promise<void> {
    notedAt = now();
    for (let left = Math.min(unnoted.size, most); left > 0; left -= AT_ONCE) {
      const ids = [...unnoted].slice(0, AT_ONCE);
      await tables.rules.noteCounts(ids, clock());
      for (const id of ids) unnoted.delete(id);
    }
  }

  function inTurn(step: () => Promise<void>): Promise<void> {
    storedAt = now();
    const next = storing.then(step);
    storing = next.catch(() => undefined);
    return next;
  }

  /** What is done every few seconds; of very many rules the histories wait for their turn. */
  const keep = (): Promise<void> =>
    inTurn(async () => {
      await storeCounts();
      if (now() - notedAt >= NOTED) await note(AT_ONCE);
    });

  return {
    flush: () =>
      inTurn(async () => {
        await storeCounts();
        await note();
      }),
    cutLinks(differences) {
      for (const [id, n] of Object.entries(differences)) links.set(id, (links.get(id) ?? 0) + n);
    },
    current() {
      if (set && now() - lookedAt < FRESH) return looking ?? Promise.resolve(set);
      // Whoever waits for the store gets its failure; these counts can be made anew.
      if (set && set.stored.rules.length > 0 && now() - storedAt >= STORED) keep().catch(() => undefined);
      return (looking ??= look());
    },
    changed() {
      changes += 1;
      lookedAt = -Infinity;
      announced = { version: '', wait: 0, until: -Infinity };
      // What is being read may be of before the change.
      looking = undefined;
    },
  };
}
