import { chunked, hostKeyOfRow, rowKeyOf, urlOf, type PageChange, type PageRow } from '../../../webtable/index.js';
import type { FitFields, RuleSet } from '../../rules/index.js';
import type { CrawlContext } from '../context.js';
import { readLeads } from '../linking/leads.js';
import { createRowCounts } from '../reporting/row-counts.js';
import type { JobOptions, Report } from '../reporting/job.js';
import { createTracker, type Tracker } from '../reporting/tracker.js';
import { COUNTED_FIELDS, createRuleCounter, storeCounts, type RuleCounter } from '../rules/count-rules.js';
import { inAllSlots } from '../shards/own-slots.js';
import { withRules } from '../rules/with-rules.js';

const FIT_FIELDS = ['fit', 'fitBonus', 'score', 'status'] as const;
/** What a page keeps under the URL that a `www` rule gives it; that it is fetched under its new URL is left to do. */
const MOVED_FIELDS = [
  'dueAt',
  'fetchInterval',
  'score',
  'cash',
  'distance',
  'sitemap',
  'metadata',
  'marks',
  'status',
] as const;
const SCANNED = [...new Set([...FIT_FIELDS, ...COUNTED_FIELDS] as const)] as const;
type Row = PageRow<(typeof SCANNED)[number]>;
const CHUNK = 1000;

/**
 * Applies the rules to the rows that are there: whether they are worth having, and what their score has for it, or for where pages like
 * them led. A page whose URL a
 * `www` rule writes otherwise by now gets a row under that URL where there is none; its own row stays, and is not fetched any more.
 * Then the counts of the rules are those of the rows, and it is noted that the `www` rules were applied: a crawl applies those that
 * were not before it selects its next pages.
 *
 * It reads the hot family once, and writes only the rows that differ. It may be killed at any moment and run again, and run while a
 * crawl is under way; the counts then lack what the crawl did to rows that had been read already, until they are made anew.
 * Counters: `COUNTERS['rules apply']`.
 * @throws CrawlError LEASE_HELD, LEASE_LOST
 */
export function applyRules(crawl: CrawlContext, options: JobOptions = {}): Promise<Report> {
  return inAllSlots(crawl, 'rules apply', options, applyToRows);
}

async function applyToRows(crawl: CrawlContext, options: JobOptions): Promise<Report> {
  const { tables, rules } = crawl;
  const tracker = createTracker(crawl, 'rules apply', options);
  const began = await rules?.current();
  // A table that never had a rule is as it is to be.
  if (!rules || !began?.version) return tracker.report();
  await rules.flush();
  const counter = createRuleCounter();
  for await (const rows of chunked(tables.pages.scan({ fields: SCANNED }), CHUNK)) {
    if (tracker.aborted) return tracker.report();
    const now = await withRules(crawl);
    const { ruleSet } = now;
    const leads = await readLeads(
      now,
      rows.map(({ key }) => key),
    );
    const fitOf: FitOf = ({ key, status }) =>
      ruleSet?.fitFields(urlOf(key), status === 'unfetched' ? leads?.get(hostKeyOfRow(key)) : undefined) ?? {};
    await applyFit(crawl, rows, fitOf, tracker);
    if (ruleSet?.plugin?.normalizeUrl) await addMoved({ ...now, ruleSet }, rows, counter, tracker);
    const latest = ruleSet ?? (await rules.current());
    for (const row of rows) counter.add(countedOf(row, fitOf(row)), latest);
    tracker.count('rows', rows.length);
    tracker.done(rows.length);
  }
  // What was noted of the rows that it wrote is in what it counted.
  await rules.flush();
  const ended = await rules.current();
  await storeCounts(crawl, ended, counter);
  // One that came meanwhile was not asked of all rows.
  if (wwwOf(ended) === wwwOf(began)) await noteApplied(tables, wwwOf(began));
  return tracker.report();
}

/** The `www` rules that are active, and since when. */
const wwwOf = ({ active }: Pick<RuleSet, 'active'>): string =>
  active.flatMap(({ kind, id, changedAt }) => (kind === 'www' ? [`${id}:${changedAt}`] : [])).join(' ');

async function noteApplied({ rules }: CrawlContext['tables'], www: string): Promise<void> {
  if ((await rules.wwwApplied()) !== www) await rules.noteWwwApplied(www);
}

/** Applies rules where a `www` rule has not been applied yet, such as one whose process was killed before it was through. */
export type ApplyIfDue = (options: Pick<JobOptions, 'signal'>) => Promise<Report | undefined>;

/** It looks into the table only where the rules have changed since it was last asked. */
export function createApplyIfDue(crawl: CrawlContext): ApplyIfDue {
  let applied = '';
  return async (options) => {
    const set = await crawl.rules?.current();
    const www = set ? wwwOf(set) : '';
    if (www === applied) return undefined;
    const { watch: _, ...unwatched } = crawl;
    const report = (await crawl.tables.rules.wwwApplied()) === www ? undefined : await applyRules(unwatched, options);
    if (!report?.interrupted) applied = www;
    return report;
  };
}

/** What the rules make of a row that is there. */
type FitOf = (row: Pick<Row, 'key' | 'status'>) => FitFields;

const countedOf = ({ fit: _, ...row }: Row, { fit }: FitFields): Row => ({ ...row, ...(fit !== undefined && { fit }) });

const differs = (row: FitFields, wanted: FitFields): boolean =>
  row.fit !== wanted.fit || (row.fitBonus ?? 0) !== (wanted.fitBonus ?? 0);

async function applyFit(
  { tables, clock }: CrawlContext,
  rows: readonly Row[],
  fitOf: FitOf,
  tracker: Tracker,
): Promise<void> {
  const keys: string[] = [];
  for (const row of rows) {
    if (row.damaged) tracker.count('damaged');
    else if (differs(row, fitOf(row))) keys.push(row.key);
  }
  if (keys.length === 0) return;
  const counts = createRowCounts(tracker.count);
  await tables.changeRows(keys, FIT_FIELDS, clock(), (found) =>
    found.map((row): PageChange | undefined => {
      if (!row || row.damaged) return undefined;
      const wanted = fitOf(row);
      if (!differs(row, wanted)) return undefined;
      const { fit, fitBonus = 0 } = wanted;
      const bonus = row.fitBonus ?? 0;
      const count = counts.of(row.key);
      if (fit === true && row.fit !== true) count('marked');
      if (fit !== true && row.fit === true) count('unmarked');
      if (bonus !== fitBonus) count('rescored');
      return {
        key: row.key,
        set: {
          ...(fit !== undefined && { fit }),
          ...(fitBonus !== 0 && { fitBonus }),
          ...(bonus !== fitBonus && { score: (row.score ?? 0) - bonus + fitBonus }),
        },
        unset: [...(fit === undefined ? (['fit'] as const) : []), ...(fitBonus === 0 ? (['fitBonus'] as const) : [])],
      };
    }),
  );
  counts.end();
}

/** Makes rows under the URLs that `www` rules give to those of others, so that no page that is known is lost. */
async function addMoved(
  crawl: CrawlContext & Required<Pick<CrawlContext, 'ruleSet'>>,
  rows: readonly Row[],
  counter: RuleCounter,
  tracker: Tracker,
): Promise<void> {
  const { tables, clock, ruleSet } = crawl;
  const targets = new Map<string, { readonly from: string; readonly url: string }>();
  for (const { key, status, damaged } of rows) {
    const moved = damaged ? undefined : ruleSet.rewrite(urlOf(key));
    // What is gone, or leads elsewhere, is so under its other URL too, as far as anybody knows.
    if (moved && (status === 'unfetched' || status === 'fetched' || status === 'notmodified')) {
      targets.set(rowKeyOf(moved.url), { from: key, url: moved.url });
    }
  }
  if (targets.size === 0) return;
  const sources = await tables.pages.getMany(
    Array.from(targets.values(), ({ from }) => from),
    [...MOVED_FIELDS, 'fitBonus'],
  );
  const sourceOf = new Map(sources.map((row) => [row?.key, row]));
  const counts = createRowCounts(tracker.count);
  const made = new Map<string, PageChange>();
  await tables.changeRows([...targets.keys()], [], clock(), (found, keys) =>
    keys.map((key, i): PageChange | undefined => {
      const { from, url } = targets.get(key)!;
      const source = sourceOf.get(from);
      const count = counts.of(key);
      made.delete(key);
      if (found[i] || !source || source.damaged) return undefined;
      count('moved');
      const { dueAt = 0, fetchInterval, cash, distance, sitemap, metadata, marks } = source;
      const fit = ruleSet.fitFields(url);
      const change: PageChange = {
        key,
        set: {
          status: 'unfetched',
          dueAt,
          ...(fetchInterval !== undefined && { fetchInterval }),
          retries: 0,
          score: (source.score ?? 0) - (source.fitBonus ?? 0) + (fit.fitBonus ?? 0),
          ...(cash !== undefined && { cash }),
          ...fit,
          ...(distance !== undefined && { distance }),
          ...(sitemap && { sitemap }),
          ...(metadata && { metadata }),
        },
        ...(marks?.inject !== undefined && { marks: { inject: marks.inject } }),
      };
      made.set(key, change);
      return change;
    }),
  );
  counts.end();
  // The others are still to be read.
  const last = rows.at(-1)?.key ?? '';
  for (const { key, set } of made.values())
    if (key <= last) counter.add({ key, ...(set?.fit && { fit: true }) }, ruleSet);
}
