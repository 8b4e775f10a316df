import {
  chunked,
  urlOf,
  type Rule,
  type RuleCounts,
  createTracker,
  NO_WATCH,
  type JobOptions,
  hostOf,
} from '../../core/index.js';
import type { RuleSet } from '../../rules/index.js';
import { inTimeSlices } from '../../util/index.js';
import { latestRules } from '../rules/latest-rules.js';
import { COUNTED_FIELDS, createRuleCounter, type CountingCrawl } from './count-rules.js';
import { createDomainWorth, type DomainWorth } from './domain-worth.js';
import { createSinceRules, type BeforeAndSince } from './since-rules.js';
import { addWorth, isFetchedPage, noWorth, type Judged, type Worth, type WorthTally } from './worth.js';

/** The effect of a rule, counted over all rows with the present rules. */
export interface ReportedRule extends BeforeAndSince {
  readonly rule: Rule;
  /** Counts of the decisions of the rule. */
  readonly counts: RuleCounts;
  /**
   * The rows on which the rule decides. A `relevant` rule decides on the rows for which it is the first `relevant` rule that matches. A
   * `www` rule decides on the rows whose URL it rewrites.
   */
  readonly decides: Worth;
  /** The rows that an `accept` rule rescues: it decides on these rows, and without `accept` rules a `reject` rule would refuse them. */
  readonly passed?: Worth;
}

/**
 * The pages that each rule rejects or accepts, and the value of the remaining pages. Texts are untrusted. The report is plain data, fit
 * for JSON.
 */
export interface RuleReport {
  /** The start of the count, in ms since the epoch. */
  readonly at: number;
  readonly seconds: number;
  /** The version of the rules. */
  readonly version: string;
  /** Whether there is a `relevant` rule. */
  readonly hasRelevant: boolean;
  readonly all: Worth;
  /** The rules in order of evaluation, including disabled ones. */
  readonly rules: readonly ReportedRule[];
  /** The domains with the most fetched pages, at most 1,000. */
  readonly domains: readonly DomainWorth[];
  /** The sum of all other domains. Absent: there are no other domains. */
  readonly otherDomains?: Worth & { readonly domains: number };
  /** Number of rows whose marks differ from the present rules. `rules apply` updates the marks. */
  readonly stale: number;
  /** Number of rows that cannot be read in full. */
  readonly damaged: number;
  /** Set if the count was stopped before all rows were read. */
  readonly interrupted?: true;
}

const FIELDS = [...COUNTED_FIELDS, 'status', 'fetchedAt'] as const;

/**
 * Reports the pages that each rule rejects or accepts, and the value of the remaining pages. The job reads the hot family once, and
 * writes nothing. It needs memory for the rules and for a thousand domains.
 */
export async function reportRules(crawl: CountingCrawl, options: JobOptions = {}): Promise<RuleReport> {
  const { tables } = crawl;
  const tracker = createTracker({ clock: crawl.clock, watch: NO_WATCH }, 'rules report', options);
  const at = crawl.clock();
  const ruleSet = await latestRules(crawl);
  const { sorted, version } = ruleSet;
  const refusing = await ruleSet.decidesWithoutAccept();
  const counter = createRuleCounter(ruleSet);
  const domains = createDomainWorth();
  const since = await inTimeSlices(createSinceRules(ruleSet.active), tables.timeSlice);
  const decides = createTallies();
  const passed = createTallies();
  const all = noWorth();
  let [stale, damaged] = [0, 0];
  let interrupted = false;

  for await (const rows of chunked(tables.pages.scan({ fields: FIELDS }), 1000)) {
    if (tracker.aborted) {
      interrupted = true;
      break;
    }
    for (const row of rows) {
      const { key, status, fetchedAt } = row;
      if (row.damaged) damaged += 1;
      const url = urlOf(key);
      const host = hostOf(url);
      const relevant = ruleSet.relevantRule(url);
      const decider = deciderOf(ruleSet, url);
      const judged: Judged = {
        status,
        isFetched: isFetchedPage(status),
        isRelevant: relevant !== undefined,
        isRejected: decider?.kind === 'reject' || decider?.kind === 'www',
      };
      counter.add(row);
      addWorth(all, judged);
      domains.add(key, host, judged);
      if (relevant) addWorth(decides.of(relevant.id), judged);
      if (decider) addWorth(decides.of(decider.id), judged);
      if (decider?.kind === 'accept' && refusing(url)) addWorth(passed.of(decider.id), judged);
      if (judged.isFetched) since.add(host, fetchedAt ?? 0, judged.isRelevant);
      if (row.relevant !== ruleSet.relevanceOf(url)) stale += 1;
    }
    tracker.done(rows.length);
  }

  const found = domains.end();
  const reported: ReportedRule[] = [];
  for (const rule of sorted) {
    while (tables.timeSlice.isOver) await tables.timeSlice.next();
    reported.push({
      rule,
      counts: counter.counts.get(rule.id)!,
      decides: decides.of(rule.id),
      ...(rule.kind === 'accept' && { passed: passed.of(rule.id) }),
      ...since.of(rule),
    });
  }
  return {
    at,
    seconds: tracker.report().seconds,
    version,
    hasRelevant: ruleSet.active.some(({ kind }) => kind === 'relevant'),
    all,
    rules: reported,
    domains: found.domains,
    ...(found.number > found.domains.length && {
      otherDomains: { ...found.others, domains: found.number - found.domains.length },
    }),
    stale,
    damaged,
    ...(interrupted && { interrupted }),
  };
}

/** Returns the rule that makes generate accept or refuse a row. Undefined: no rule matches. */
function deciderOf(ruleSet: RuleSet, url: string): Rule | undefined {
  return ruleSet.rewrite(url)?.rule ?? ruleSet.decides(url);
}

function createTallies() {
  const tallies = new Map<string, WorthTally>();
  return {
    of(id: string): WorthTally {
      let found = tallies.get(id);
      if (!found) tallies.set(id, (found = noWorth()));
      return found;
    },
  };
}
