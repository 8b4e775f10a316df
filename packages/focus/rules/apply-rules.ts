import {
  defined,
  chunked,
  createCounts,
  createTracker,
  inAllSlots,
  jobContext,
  rowKeyOf,
  urlOf,
  type Count,
  type Counts,
  type CrawlContext,
  type JobContext,
  type RelevanceFields,
  type JobOptions,
  type PageChange,
  type PageRow,
  type Report,
  type StoredRules,
  type TableRuleSet,
  type Tracker,
} from '../../core/index.js';

const RELEVANCE_FIELDS = ['relevant', 'relevantBonus', 'score'] as const;
/** Fields that a page keeps when a `www` rule gives it another URL. A fetch under the new URL is due at once. */
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
const SCANNED = [...RELEVANCE_FIELDS, 'status'] as const;
type Row = PageRow<(typeof SCANNED)[number]>;
const CHUNK = 1000;

/**
 * Applies the rules to the rows of the table: stores for each row whether it is relevant, and its score bonus. If a `www` rule now
 * rewrites the URL of a page and there is no row with the new URL, such a row is added. The old row stays, but is no longer fetched. At
 * the end the `www` rules are recorded as applied. Before a crawl selects its next pages, it applies all `www` rules that are not
 * recorded.
 *
 * The job reads the hot family once, and writes only the rows that differ. It may be killed at any moment and run again, and may run
 * during a crawl. Counters: `COUNTERS['rules apply']`.
 * @throws CrawlError LEASE_HELD, LEASE_LOST
 */
export function applyRules(crawl: JobContext, options: JobOptions = {}): Promise<Report> {
  return inAllSlots(crawl, 'rules apply', options, (_, how) => applyToRows(crawl, how));
}

async function applyToRows(crawl: JobContext, options: JobOptions): Promise<Report> {
  const { tables, rules } = crawl;
  const tracker = createTracker(crawl, 'rules apply', options);
  const began = await rules.current();
  // A table that never had rules needs no change.
  if (!began.version) return tracker.report();
  for await (const rows of chunked(tables.pages.scan({ fields: SCANNED }), CHUNK)) {
    if (tracker.aborted) return tracker.report();
    const changes = changesOf(await rules.current(), rows, tracker, crawl.clock());
    if (changes.relevance.length + changes.moves.length > 0)
      tracker.add(await tables.inOwner('apply rules', [changes], () => changeRuledRows(crawl, changes)));
    tracker.count('rows', rows.length);
    tracker.done(rows.length);
  }
  const ended = await rules.current();
  // If a `www` rule was changed during the run, it was not applied to all rows. So nothing is recorded.
  if (wwwOf(ended) === wwwOf(began)) await noteApplied(tables, wwwOf(began));
  return tracker.report();
}

/** Returns a text that changes with the active `www` rules. */
const wwwOf = ({ stored }: { readonly stored: StoredRules }): string =>
  stored.rules
    .flatMap(({ kind, state, id, changedAt }) => (kind === 'www' && state === 'active' ? [`${id}:${changedAt}`] : []))
    .join(' ');

async function noteApplied({ rules }: CrawlContext['tables'], www: string): Promise<void> {
  if ((await rules.wwwApplied()) !== www) await rules.noteWwwApplied(www);
}

/** Applies the rules if a `www` rule was not applied yet, for example because the process that added it was killed. */
type ApplyIfDue = (options: Pick<JobOptions, 'signal'>) => Promise<Report | undefined>;

/**
 * Makes the function that applies rules if a `www` rule was not applied yet. The function reads the table only if the `www` rules have
 * changed since its last call.
 */
export function createApplyIfDue(crawl: CrawlContext): ApplyIfDue {
  let applied = '';
  return async (options) => {
    const www = wwwOf(await crawl.rules.current());
    if (www === applied) return undefined;
    const isApplied = (await crawl.tables.rules.wwwApplied()) === www;
    const report = isApplied ? undefined : await applyRules(jobContext(crawl), options);
    if (!report?.interrupted) applied = www;
    return report;
  };
}

/** A page whose URL a `www` rule rewrites. */
interface Move {
  readonly from: string;
  readonly url: string;
  readonly relevance: RelevanceFields;
}

/** What the rules change in rows, for the process that has the table open. Plain data for JSON. */
export interface RuledChanges {
  readonly relevance: readonly (readonly [rowKey: string, RelevanceFields])[];
  readonly moves: readonly Move[];
  readonly now: number;
}

const differs = (row: RelevanceFields, wanted: RelevanceFields): boolean =>
  row.relevant !== wanted.relevant || (row.relevantBonus ?? 0) !== (wanted.relevantBonus ?? 0);

/** Returns how the rows of a chunk differ from the rules. */
function changesOf(ruleSet: TableRuleSet, rows: readonly Row[], tracker: Tracker, now: number): RuledChanges {
  const relevance: [string, RelevanceFields][] = [];
  const moves: Move[] = [];
  for (const row of rows) {
    if (row.damaged) {
      tracker.count('damaged');
      continue;
    }
    const url = urlOf(row.key);
    const wanted = ruleSet.relevanceFields(url);
    if (differs(row, wanted)) relevance.push([row.key, wanted]);
    const moved = ruleSet.plugin?.normalizeUrl && ruleSet.rewrite(url);
    // If a page is gone or redirects, its other URL is assumed to have the same result.
    if (moved && (row.status === 'unfetched' || row.status === 'fetched' || row.status === 'notmodified'))
      moves.push({ from: row.key, url: moved.url, relevance: ruleSet.relevanceFields(moved.url) });
  }
  return { relevance, moves, now };
}

/** Changes rows in the process that has the table open. Returns the counters. */
export async function changeRuledRows(
  crawl: Pick<CrawlContext, 'tables'>,
  { relevance, moves, now }: RuledChanges,
): Promise<Counts> {
  const { all, count } = createCounts();
  await changeRelevance(crawl, new Map(relevance), now, count);
  await addMoved(crawl, moves, now, count);
  return all;
}

async function changeRelevance(
  { tables }: Pick<CrawlContext, 'tables'>,
  wantedOf: ReadonlyMap<string, RelevanceFields>,
  now: number,
  count: Count,
): Promise<void> {
  await tables.changeRows([...wantedOf.keys()], RELEVANCE_FIELDS, now, (found) =>
    found.map((row): PageChange | undefined => {
      if (!row || row.damaged) return undefined;
      const wanted = wantedOf.get(row.key)!;
      if (!differs(row, wanted)) return undefined;
      const { relevant, relevantBonus = 0 } = wanted;
      const bonus = row.relevantBonus ?? 0;
      if (relevant === true && row.relevant !== true) count('marked');
      if (relevant !== true && row.relevant === true) count('unmarked');
      if (bonus !== relevantBonus) count('rescored');
      return {
        key: row.key,
        set: {
          ...(relevant !== undefined && { relevant }),
          ...(relevantBonus !== 0 && { relevantBonus }),
          ...(bonus !== relevantBonus && { score: (row.score ?? 0) - bonus + relevantBonus }),
        },
        unset: [
          ...(relevant === undefined ? (['relevant'] as const) : []),
          ...(relevantBonus === 0 ? (['relevantBonus'] as const) : []),
        ],
      };
    }),
  );
}

/** Adds rows under the URLs that `www` rules give to existing rows, so that no known page is lost. */
async function addMoved(
  { tables }: Pick<CrawlContext, 'tables'>,
  moves: readonly Move[],
  now: number,
  count: Count,
): Promise<void> {
  const moveTo = new Map(moves.map((move) => [rowKeyOf(move.url), move]));
  const sources = await tables.pages.getMany(
    Array.from(moveTo.values(), ({ from }) => from),
    [...MOVED_FIELDS, 'relevantBonus'],
  );
  const sourceOf = new Map(sources.map((row) => [row?.key, row]));
  await tables.changeRows([...moveTo.keys()], [], now, (found, keys) =>
    keys.map((key, i): PageChange | undefined => {
      const { from, relevance } = moveTo.get(key)!;
      const source = sourceOf.get(from);
      if (found[i] || !source || source.damaged) return undefined;
      count('moved');
      const { dueAt = 0, fetchInterval, cash, distance, sitemap, metadata, marks } = source;
      return {
        key,
        set: {
          status: 'unfetched',
          dueAt,
          firstSeenAt: now,
          retries: 0,
          score: (source.score ?? 0) - (source.relevantBonus ?? 0) + (relevance.relevantBonus ?? 0),
          ...relevance,
          ...defined({ fetchInterval, cash, distance }),
          ...(sitemap && { sitemap }),
          ...(metadata && { metadata }),
        },
        ...(marks?.inject !== undefined && { marks: { inject: marks.inject } }),
      };
    }),
  );
}
