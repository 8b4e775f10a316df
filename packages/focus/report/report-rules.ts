import { chunked, urlOf, type Rule, type RuleCounts, type RulePoint } from '../../../webtable/index.js';
import {
  COUNTED_FIELDS,
  createRuleCounter,
  createTracker,
  type CrawlContext,
  type JobOptions,
} from '../../jobs/index.js';
import { compareRules, compileRules, type RuleSet } from '../../rules/index.js';
import { hostOf } from '../../url/index.js';
import { createDomainWorth, type DomainWorth } from './domain-worth.js';
import { createSinceRules, type BeforeAndSince } from './since-rules.js';
import { addWorth, isFetchedPage, noWorth, type Judged, type Worth, type WorthTally } from './worth.js';

/** What a rule did, counted from the rows by the rules of now. */
export interface ReportedRule extends BeforeAndSince {
  readonly rule: Rule;
  /** What it is known to have decided: as `rules.list` shows it, but counted anew. */
  readonly counts: RuleCounts;
  /** The rows on which it decides: of `useful` those that it is the first to match, of `www` those that it writes otherwise. */
  readonly decides: Worth;
  /** Of an `accept` rule the rows on which it decides and that a `reject` rule would refuse if there were no `accept` rules. */
  readonly passed?: Worth;
  /** What it had decided over time, oldest first. */
  readonly history: readonly RulePoint[];
}

/** What each rule cut or let through, and what the pages that were kept are worth. Untrusted text. Plain data, fit for JSON. */
export interface RuleReport {
  /** When it was begun, in ms since the epoch. */
  readonly at: number;
  readonly seconds: number;
  /** Of the rules that it is by. */
  readonly version: string;
  /** Whether any rule says what is useful. */
  readonly hasUseful: boolean;
  readonly all: Worth;
  /** In the order in which they are asked; disabled ones too. */
  readonly rules: readonly ReportedRule[];
  /** The domains of which most was fetched, at most 1,000. */
  readonly domains: readonly DomainWorth[];
  /** All other domains together. Absent: there are none. */
  readonly otherDomains?: Worth & { readonly domains: number };
  /** Rows that are marked otherwise than the rules of now would: `rules apply` brings them up to date. */
  readonly stale: number;
  /** Rows that cannot be read whole. */
  readonly damaged: number;
  /** It was ended before it had read all rows. */
  readonly interrupted?: true;
}

const FIELDS = [...COUNTED_FIELDS, 'status', 'fetchedAt'] as const;

/**
 * Says what each rule cut or let through, and what the pages that were kept are worth. It reads the hot family once, writes nothing, and
 * takes memory for the rules and a thousand domains.
 */
export async function reportRules(
  crawl: Pick<CrawlContext, 'tables' | 'rules' | 'settings' | 'clock'>,
  options: JobOptions = {},
): Promise<RuleReport> {
  const { tables, settings } = crawl;
  const tracker = createTracker({ clock: crawl.clock }, 'rules report', options);
  const at = crawl.clock();
  await crawl.rules?.flush();
  const stored = await tables.rules.read();
  const ruleSet = compileRules(stored, settings.scoring.fit);
  const refusing = compileRules({ ...stored, rules: withoutAccept(stored.rules) }, settings.scoring.fit);
  const counter = createRuleCounter();
  const domains = createDomainWorth();
  const since = createSinceRules(ruleSet.active);
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
      const useful = ruleSet.usefulFor(url);
      const decider = deciderOf(ruleSet, url);
      const judged: Judged = {
        status,
        isFetched: isFetchedPage(status),
        isUseful: useful !== undefined,
        isCut: decider?.kind === 'reject' || decider?.kind === 'www',
      };
      counter.add(row, ruleSet);
      addWorth(all, judged);
      domains.add(key, host, judged);
      if (useful) addWorth(decides.of(useful.id), judged);
      if (decider) addWorth(decides.of(decider.id), judged);
      if (decider?.kind === 'accept' && refusing.decides(url)) addWorth(passed.of(decider.id), judged);
      if (judged.isFetched) since.add(host, fetchedAt ?? 0, judged.isUseful);
      if (row.fit !== ruleSet.fitOf(url)) stale += 1;
    }
    tracker.done(rows.length);
  }

  const found = domains.end();
  const histories = await tables.rules.histories(stored.rules.map(({ id }) => id));
  return {
    at,
    seconds: tracker.report().seconds,
    version: stored.version,
    hasUseful: ruleSet.active.some(({ kind }) => kind === 'useful'),
    all,
    rules: [...stored.rules].sort(compareRules).map((rule) => ({
      rule,
      counts: counter.counts.get(rule.id) ?? { refused: 0, fit: 0, links: 0 },
      decides: decides.of(rule.id),
      ...(rule.kind === 'accept' && { passed: passed.of(rule.id) }),
      ...since.of(rule),
      history: histories.get(rule.id) ?? [],
    })),
    domains: found.domains,
    ...(found.number > found.domains.length && {
      otherDomains: { ...found.others, domains: found.number - found.domains.length },
    }),
    stale,
    damaged,
    ...(interrupted && { interrupted }),
  };
}

const withoutAccept = (rules: readonly Rule[]): readonly Rule[] => rules.filter(({ kind }) => kind !== 'accept');

/** The rule by which generate takes or refuses a row; undefined where none is of it. */
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
