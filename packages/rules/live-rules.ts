import type { Tables } from '../../webtable/index.js';
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
}

/** Milliseconds for which it is not looked again. */
const FRESH = 1000;

/** @param now milliseconds by a clock that is never set back */
export function createLiveRules(
  tables: Pick<Tables, 'rules'>,
  fit: FitScores,
  now: () => number = () => performance.now(),
): LiveRules {
  let set: RuleSet | undefined;
  let lookedAt = -Infinity;
  let looking: Promise<RuleSet> | undefined;
  /** How often it was said that they have changed. */
  let changes = 0;

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

  return {
    current() {
      if (set && now() - lookedAt < FRESH) return looking ?? Promise.resolve(set);
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
