import {
  hostKeyOf,
  isHeld,
  rowKeyOf,
  type HostKey,
  type NewInboxEntry,
  type PageChange,
  type PageRow,
} from '../../../webtable/index.js';
import { hostOf } from '../../url/index.js';
import { defined } from '../../util/index.js';
import type { ScopedCrawl } from '../context.js';
import { enterSeedHosts } from '../hosts/seed-hosts.js';
import type { FoundReach } from '../hosts/seed-reach.js';
import { createCounts, type Count, type CounterName, type Counts } from '../reporting/counters.js';
import { newRowFields } from '../rows/new-row.js';
import { createScoring } from '../rows/scoring-chain.js';
import type { RulesInForce } from '../rules/rules-now.js';
import { ownsRow, type JobSlots } from '../shards/job-slots.js';
import type { Seed } from './seed-line.js';

/** What the change of a seed's row depends on. Seeds need no scope. */
type SeedContext = Omit<ScopedCrawl, 'scope'>;

/** The fields of a row that rules of kind `relevant` set. */
const RELEVANCE_FIELDS = ['relevant', 'relevantBonus'] as const;
/** Digits of the number of a seed. */
const MAX_DIGITS = 12;

/** A seed. `sitemap`: the page is read as a sitemap. */
export type InjectedSeed = Seed & { readonly sitemap?: true };
/** An accepted seed, with its URL normalised. */
export type TakenSeed = InjectedSeed & { readonly retryDenied: boolean };

/** A seed, as an inbox stores it. */
export interface SentSeed {
  readonly kind: 'seed';
  readonly seed: TakenSeed;
  /** Where the name of the host led. Absent: it was not looked up. */
  readonly reach?: FoundReach | undefined;
}

/**
 * Adds seeds to the rows that the job owns, and puts the other seeds into the inboxes of their slots.
 * @param from the run of inject, and the number of its earlier seeds. So an inbox has the seeds of a run in their order
 */
export async function injectSeedRows(
  { jobSlots, ...crawl }: SeedContext & { readonly jobSlots: JobSlots },
  rules: RulesInForce,
  seeds: readonly TakenSeed[],
  reaches: ReadonlyMap<HostKey, FoundReach>,
  count: Count,
  from: { readonly run: string; readonly before: number },
): Promise<void> {
  const own: TakenSeed[] = [];
  const sent: NewInboxEntry[] = [];
  for (const [i, seed] of seeds.entries()) {
    const rowKey = rowKeyOf(seed.url);
    if (ownsRow({ ...crawl, jobSlots }, rowKey)) own.push(seed);
    else {
      const value: SentSeed = { kind: 'seed', seed, reach: reaches.get(hostKeyOf(hostOf(seed.url))) };
      const part = String(from.before + i).padStart(MAX_DIGITS, '0');
      sent.push({ rowKey, source: { run: from.run, slot: '', part }, value });
    }
  }
  count('seeds_sent', sent.length);
  await crawl.tables.inboxes.put(sent);
  await addSeeds(crawl, rules, own, reaches, count);
}

/** A seed, and the fields of its row if the row is new. */
interface PreparedSeed {
  readonly seed: TakenSeed;
  readonly fresh: ReturnType<typeof newSeedFields>;
}

/** Seeds for the process that has the table open. Plain data for JSON: all that depends on settings and plugins is decided. */
export interface SeedChanges {
  readonly seeds: readonly PreparedSeed[];
  /** Where the names of hosts led. */
  readonly reaches: readonly (readonly [HostKey, FoundReach])[];
  readonly how: { readonly injectorOverwrite: boolean; readonly injectorUpdate: boolean };
  readonly now: number;
}

/** Adds seeds to rows that the job owns, or to rows of the process that has the table open. */
export async function addSeeds(
  crawl: SeedContext,
  rules: RulesInForce,
  chunk: readonly TakenSeed[],
  reaches: ReadonlyMap<HostKey, FoundReach>,
  count: Count,
): Promise<void> {
  const now = crawl.clock();
  // If a URL occurs twice, its first line is used, as if the lines were injected in two runs.
  const seeds = new Map<string, PreparedSeed>();
  for (const seed of chunk) {
    const key = rowKeyOf(seed.url);
    if (seeds.has(key)) count('known');
    else seeds.set(key, { seed, fresh: newSeedFields(crawl, rules, seed, now, count) });
  }
  if (seeds.size === 0) return;
  const { injectorOverwrite, injectorUpdate } = crawl.settings.db;
  const how = { injectorOverwrite, injectorUpdate };
  const changes: SeedChanges = { seeds: [...seeds.values()], reaches: [...reaches], how, now };
  const counts = await crawl.tables.inOwner('add seeds', [changes], () => changeSeedRows(crawl, changes));
  for (const [name, n] of Object.entries(counts)) count(name as CounterName, n);
}

/** Changes the rows of seeds in the process that has the table open. Returns the counters. */
export async function changeSeedRows(
  { tables }: Pick<SeedContext, 'tables'>,
  { seeds, reaches, how, now }: SeedChanges,
): Promise<Counts> {
  const { all, count } = createCounts();
  const fields = ['metadata', 'distance', 'protocolStatus', 'sitemap', 'relevant'] as const;
  const keys = seeds.map(({ seed }) => rowKeyOf(seed.url));
  await tables.changeRows(keys, fields, now, async (rows) => {
    const changes: (PageChange | undefined)[] = [];
    for (const [i, prepared] of seeds.entries()) {
      const { seed, fresh } = prepared;
      const key = keys[i]!;
      const row = rows[i];
      let change = row ? changeOfKnown(row, prepared, how, count) : { key, set: fresh, marks: { inject: 'y' } };
      if (row && seed.retryDenied && isDenied(row, now)) {
        count('denied_before');
        await tables.hosts.robots.remove(new URL(seed.url).origin);
        change = { ...change, key, set: { ...change?.set, dueAt: now } };
      }
      if (!row) count('injected');
      changes.push(change);
    }
    await enterSeedHosts(tables, keys, new Map(reaches));
    return changes;
  });
  return all;
}

/**
 * Whether the last fetch of a page was denied, and the page is not due. A new request may be allowed: the crawl may have a password or
 * another agent name now, or the site may have another robots.txt.
 */
function isDenied(row: PageRow<'dueAt' | 'marks' | 'protocolStatus'>, now: number): boolean {
  if (row.damaged || isHeld(row) || (row.dueAt ?? 0) <= now) return false;
  const { code, http } = row.protocolStatus ?? {};
  return http === 401 || http === 403 || code === 'robots_denied' || code === 'crawl_delay_too_long';
}

/** Counts a seed whose row exists, and returns the change of the row. Returns undefined if nothing changes. */
function changeOfKnown(
  row: PageRow<'metadata' | 'marks' | 'distance' | 'sitemap'>,
  { seed, fresh }: PreparedSeed,
  { injectorOverwrite, injectorUpdate }: SeedChanges['how'],
  count: Count,
): PageChange | undefined {
  if (row.damaged) {
    count('damaged');
    return undefined;
  }
  if (isHeld(row) || (!injectorOverwrite && !injectorUpdate)) {
    // The batch that holds a row plans the next fetch of the row, so the row is not changed.
    count(isHeld(row) && (injectorOverwrite || injectorUpdate) ? 'held' : 'known');
    // A page that was found through a link becomes a seed.
    const isSeed =
      row.distance === 0 && row.marks?.inject !== undefined && row.sitemap === (seed.sitemap ?? row.sitemap);
    return isSeed ? undefined : { key: row.key, set: { distance: 0, ...sitemapOf(seed) }, marks: { inject: 'y' } };
  }
  count('updated');
  const metadata = injectorOverwrite ? seed.metadata : { ...row.metadata, ...seed.metadata };
  const { fetchInterval, score, cash, relevant, relevantBonus, dueAt } = fresh;
  const isRescored = injectorOverwrite || seed.score !== undefined;
  return {
    key: row.key,
    set: {
      distance: 0,
      ...sitemapOf(seed),
      ...(Object.keys(metadata).length > 0 && { metadata }),
      ...((injectorOverwrite || seed.fetchInterval !== undefined) && { fetchInterval }),
      ...(isRescored && { score, cash, ...defined({ relevant, relevantBonus }) }),
      ...(injectorOverwrite && { dueAt }),
    },
    unset: [
      ...(injectorOverwrite && Object.keys(metadata).length === 0 ? (['metadata'] as const) : []),
      ...(isRescored ? RELEVANCE_FIELDS.filter((field) => fresh[field] === undefined) : []),
    ],
    marks: { inject: 'y' },
  };
}

function sitemapOf({ sitemap }: InjectedSeed): { readonly sitemap?: true } {
  return sitemap ? { sitemap } : {};
}

function newSeedFields(crawl: SeedContext, rules: RulesInForce, seed: TakenSeed, now: number, count: Count) {
  const fields = newRowFields(crawl, count, now);
  const { score, cash } = createScoring(rules, count).injected(seed.score ?? crawl.settings.db.scoreInjected, seed.url);
  return {
    ...fields,
    fetchInterval: seed.fetchInterval ?? fields.fetchInterval,
    score,
    cash,
    ...rules.ruleSet.relevanceFields(seed.url),
    distance: 0,
    ...sitemapOf(seed),
    ...(Object.keys(seed.metadata).length > 0 && { metadata: seed.metadata }),
  };
}
