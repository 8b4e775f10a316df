import type { Counts } from '../reporting/counters.js';
import type { JobOptions, Report } from '../reporting/job.js';

/** What a crawl does with the rules of the table between two rounds. Satellites do the work, so the library passes the steps in. */
export interface RuleSteps {
  /** Proposes rules from the rows of the table and adds them, for a crawl with `propose`. */
  propose(options: Pick<JobOptions, 'signal'>): Promise<Counts>;
  /** Applies new rules of the kind that must be applied before rows are selected. Resolves to undefined if there are none. */
  apply(options: Pick<JobOptions, 'signal'>): Promise<Report | undefined>;
}
