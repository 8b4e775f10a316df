import type { Tables } from '../../webtable/index.js';
import { takeDifferences } from './rule-tally.js';
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
   * Stores what rules have decided since it was last stored. It is done every few seconds while {@link current} is called. What a kill
   * loses of it can be counted anew from the rows.
   */
  flush(): Promise<void>;
}

/** Milliseconds for which it is not looked again. */
const FRESH = 1000;
/** Milliseconds after which counts are stored. */
const STORED = 3000;

/** @param now milliseconds by a clock that is never set back */
export function createLiveRules(
  tables: Pick<Tables, 'rules' | 'tally'>,
  fit: FitScores,
  now: () => number = () => performance.now(),
): LiveRules {
  let set: RuleSet | undefined;
  let lookedAt = -Infinity;
  let looking: Promise<RuleSet> | undefined;
  /** How often it was said that they have changed. */
  let changes = 0;
  const links = new Map<string, number>();
  let storedAt = -Infinity;
  let storing: Promise<void> = Promise.resolve();

  async function look(): Promise<RuleSet> {
    const seen = changes;
    lookedAt = now();
    try {
      const version = await tables.rules.version();
      // Where an edit is under way the rules are still those before it, and are read again the next time.
      if (set?.version === version) return set;
      const stored = await tables.rules.read();
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

  function flush(): Promise<void> {
    storedAt = now();
    const next = storing.then(async () => {
      const found = takeDifferences(tables, set, links);
      if (found.size > 0) await tables.rules.addCounts(found);
    });
    storing = next.catch(() => undefined);
    return next;
  }

  return {
    flush,
    cutLinks(differences) {
      for (const [id, n] of Object.entries(differences)) links.set(id, (links.get(id) ?? 0) + n);
    },
    current() {
      if (set && now() - lookedAt < FRESH) return looking ?? Promise.resolve(set);
      // Whoever waits for the store gets its failure; these counts can be made anew.
      if (set && set.stored.rules.length > 0 && now() - storedAt >= STORED) flush().catch(() => undefined);
      return (looking ??= look());
    },
    changed() {
      changes += 1;
      lookedAt = -Infinity;
      // What is being read may be of before the change.
      looking = undefined;
    },
  };
}
