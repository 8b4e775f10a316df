import type { Tables } from '../../webtable/index.js';
import type { RelevanceScores, TableRules } from '../plugin-api/index.js';
import { compileRulesInSlices, type RuleSet } from './compile-rules.js';

/** The present rules of a table. They follow changes of rules while a job runs. */
export interface LiveRules extends TableRules {
  current(): Promise<RuleSet>;
  /** Reads the present rules, including an edit that another process has just made. */
  latest(): Promise<RuleSet>;
}

const MIN_POLL_MS = 1000;
/** For the rules of an announced edit. */
const MAX_POLL_MS = 60_000;

/** @param now milliseconds of a clock that is never set back */
export function createLiveRules(
  tables: Pick<Tables, 'rules'>,
  scores: RelevanceScores,
  now: () => number = () => performance.now(),
): LiveRules {
  let set: RuleSet | undefined;
  let polledAt = -Infinity;
  let polling: Promise<RuleSet> | undefined;
  /** The count of edits in this process when the rules were last read again. */
  let edits = tables.rules.edits();
  /** Number of polls. Only the last poll sets the rules, because an earlier poll may have read them before a change. */
  let polls = 0;
  /** The version of an edit whose rules are not written yet. The edit is still running, or its process was killed. */
  let announced = { version: '', wait: 0, until: -Infinity };

  async function poll(): Promise<RuleSet> {
    const own = (polls += 1);
    polledAt = now();
    try {
      const version = await tables.rules.version();
      if (set?.version === version) return set;
      const isAnnounced = announced.version === version;
      if (set && isAnnounced && now() < announced.until) return set;
      const stored = await tables.rules.read();
      // During an edit the old rules are still stored. The wait grows, because a killed edit never writes its rules.
      const wait = isAnnounced ? Math.min(2 * announced.wait, MAX_POLL_MS) : MIN_POLL_MS;
      if (stored.version !== version) announced = { version, wait, until: now() + wait };
      const found = set?.version === stored.version ? set : await compileRulesInSlices(stored, scores);
      if (own === polls) set = found;
      return found;
    } catch (error) {
      polledAt = -Infinity;
      throw error;
    } finally {
      if (own === polls) polling = undefined;
    }
  }

  function pollAnew(): Promise<RuleSet> {
    edits = tables.rules.edits();
    announced = { version: '', wait: 0, until: -Infinity };
    return (polling = poll());
  }

  return {
    current() {
      if (edits !== tables.rules.edits()) return pollAnew();
      if (set && now() - polledAt < MIN_POLL_MS) return polling ?? Promise.resolve(set);
      return (polling ??= poll());
    },
    latest: pollAnew,
  };
}
