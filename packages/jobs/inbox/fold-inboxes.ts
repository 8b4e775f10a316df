import { hostKeyOfRow, type HostKey, type InboxEntry } from '../../../webtable/index.js';
import { jobRun, type CrawlContext, type JobRun } from '../context.js';
import { enterSitemaps, type SentSitemap } from '../fetching/page/add-sitemaps.js';
import type { FoundReach } from '../hosts/seed-reach.js';
import { addSeeds, type SentSeed, type TakenSeed } from '../inject/seed-rows.js';
import type { LinkEvent } from '../linking/link-slice.js';
import { createLinker, type Linker } from '../linking/linker.js';
import { linksOfEntry, type SentLinks } from '../linking/sent-links.js';
import { createCounts, type Count, type Counts } from '../reporting/counters.js';
import type { Tracker } from '../reporting/tracker.js';
import { rulesNow } from '../rules/rules-now.js';
import { inScope } from '../scope/in-scope.js';
import { confirmSlots, type JobSlots } from '../shards/job-slots.js';
import { sentChange, type SentChange } from './change-or-send.js';

type Sent = SentLinks | SentSitemap | SentSeed | SentChange;

/**
 * Folds the inboxes of the job's slots: adds what other workers have put there to the rows, then removes the entries. After a kill, links are
 * not added again: the change of a row that adds links also names their chunk. Seeds and sitemaps change nothing the second time.
 *
 * A batch that is `updated` is closed after the owners of all inboxes with its links have folded them.
 * @returns the counters: those of updatedb for links, of fetch for sitemaps, and of inject for seeds
 */
export async function foldInboxes(crawl: JobRun, tracker: Pick<Tracker, 'aborted'>): Promise<Counts> {
  const { all: counts, count } = createCounts();
  const { tables, jobSlots } = crawl;
  const slots = tables.inboxes.of(jobSlots.slots);
  if (slots.size === 0) return counts;
  // All links of these batches are in the inboxes already.
  const complete = await updatedIn(crawl, slots);
  const linker = createLinker(crawl, undefined, count);
  for (const slot of (await tables.inboxes.sizes(slots, 1)).keys()) {
    for await (const entries of tables.inboxes.entries(slot)) {
      if (tracker.aborted) return counts;
      await foldEntries(crawl, linker, entries, count);
      await tables.inboxes.remove(entries);
    }
  }
  await confirmSlots(crawl);
  for (const { batchId } of complete) await tables.batches.removeInboxes(batchId, slots);
  return counts;
}

/** Like {@link foldInboxes}, for a job that has no run. */
export async function foldInboxesOf(crawl: CrawlContext, jobSlots: JobSlots, tracker: Tracker): Promise<Counts> {
  return foldInboxes(jobRun(await inScope(crawl), jobSlots), tracker);
}

/** Returns those slots whose inbox must be folded: it has entries, or an updated batch waits for it. */
export async function slotsToFold(
  crawl: Pick<CrawlContext, 'tables'>,
  slots: readonly string[],
): Promise<ReadonlySet<string>> {
  const awaited = (await updatedIn(crawl, new Set(slots))).flatMap(({ inboxes = [] }) => inboxes);
  const filled = await crawl.tables.inboxes.sizes(slots, 1);
  return new Set(slots.filter((slot) => filled.has(slot) || awaited.includes(slot)));
}

/** The updated batches that wait for the inboxes of some slots. */
async function updatedIn({ tables }: Pick<CrawlContext, 'tables'>, slots: ReadonlySet<string>) {
  const updated = await tables.batches.listUpdated();
  return updated.filter(({ inboxes = [] }) => inboxes.some((slot) => slots.has(slot)));
}

/** Adds entries of one inbox to their rows. An entry that cannot be read is counted. */
async function foldEntries(crawl: JobRun, linker: Linker, entries: readonly InboxEntry[], count: Count): Promise<void> {
  const links = new Map<string, LinkEvent[]>();
  const sitemaps = new Map<string, number | undefined>();
  const seeds: TakenSeed[] = [];
  const reaches = new Map<HostKey, FoundReach>();
  const changes = new Map<string, SentChange[]>();
  for (const { rowKey, source, value } of entries) {
    const sent = value as Sent | undefined;
    if (sent?.kind === 'links') {
      const found = linksOfEntry(source, sent);
      const before = links.get(rowKey);
      if (before) for (const link of found) before.push(link);
      else links.set(rowKey, found);
    } else if (sent?.kind === 'sitemap') {
      const distance = Math.min(sitemaps.get(rowKey) ?? Infinity, sent.distance ?? Infinity);
      sitemaps.set(rowKey, Number.isFinite(distance) ? distance : undefined);
    } else if (sent?.kind === 'seed') {
      seeds.push(sent.seed);
      if (sent.reach) reaches.set(hostKeyOfRow(rowKey), sent.reach);
    } else if (sent?.kind === 'change') {
      changes.set(rowKey, [...(changes.get(rowKey) ?? []), sent]);
    } else count('damaged');
  }
  const rules = await rulesNow(crawl);
  await addSeeds(crawl, rules, seeds, reaches, count);
  await enterSitemaps(crawl, rules, sitemaps, count);
  await crawl.tables.changeRows([...changes.keys()], [], crawl.clock(), (rows) =>
    rows.map((row) => (row && !row.damaged ? sentChange(row.key, changes.get(row.key)!) : undefined)),
  );
  const linksTo = { targets: () => links.keys(), linksOf: (key: string) => links.get(key) ?? [] };
  await linker.addLinks(linksTo);
}
