import {
  hostKeyOfRow,
  rowKeyOf,
  urlOf,
  type BatchEntry,
  type HostKey,
  type HostLeads,
  type Led,
} from '../../../webtable/index.js';
import { NO_LEADS, addLeads, agedLeads, leadForm, type RuleSet } from '../../rules/index.js';
import type { CrawlContext } from '../context.js';
import { handsOnLinks, linksOf } from '../rows/reschedule.js';
import { hold } from '../shards/own-slots.js';
import { batchOf, firstBy, noteOf } from './link-notes.js';

/** Where pages of hosts have led; of a host that is not in it nothing is known. */
export type LeadsByHost = ReadonlyMap<HostKey, HostLeads>;

/** Rows read at a time together with their links. */
const SOURCES = 20;
const SOURCE_FIELDS = ['status', 'redirectTarget', 'outlinks', 'sitemap', 'marks'] as const;

/** What is known of where pages of the hosts of rows have led; undefined, and nothing is read, where nothing goes by it. */
export async function readLeads(
  { tables, ruleSet }: Pick<CrawlContext, 'tables' | 'ruleSet'>,
  keys: readonly string[],
): Promise<LeadsByHost | undefined> {
  if (!ruleSet?.explores) return undefined;
  const hosts = [...new Set(keys.map(hostKeyOfRow))];
  const found = await tables.hosts.leads.get(hosts);
  return new Map(hosts.flatMap((host, i) => (found[i] ? [[host, found[i]] as const] : [])));
}

/** A row of a batch, and how many new useful pages it was the first to lead to. */
interface Source {
  readonly entry: BatchEntry;
  readonly found: number;
}

/**
 * Adds to what is known of hosts where rows of a batch led, before they are released: how many of the useful pages that its links have made
 * name each of them as the first (`<batch>/first` among their notes). Call it when the links of all rows are added. Each host notes the last place that is in
 * it, so what is done again after a kill adds nothing twice; a row that was released is of such a place. Memory is bounded by the entries.
 * @param isOpen whether links of a batch may still be added
 */
export async function addToLeads(
  crawl: CrawlContext,
  batchId: string,
  entries: readonly BatchEntry[],
  { isOpen }: { readonly isOpen: (batchId: string) => Promise<boolean> },
): Promise<void> {
  const { tables, ruleSet } = crawl;
  const known = await readLeads(
    crawl,
    entries.map(({ rowKey }) => rowKey),
  );
  if (!known || !ruleSet) return;
  const isLeft = (entry: BatchEntry, leads: HostLeads | undefined): boolean =>
    entry.place > (leads?.upTo[noteOf(batchId, entry)] ?? '');
  const left = entries.filter((entry) => isLeft(entry, known.get(hostKeyOfRow(entry.rowKey))));
  const sources = new Map<HostKey, Source[]>();
  for (let i = 0; i < left.length; i += SOURCES) {
    for (const source of await sourcesOf(crawl, ruleSet, batchId, left.slice(i, i + SOURCES))) {
      const host = hostKeyOfRow(source.entry.rowKey);
      sources.set(host, [...(sources.get(host) ?? []), source]);
    }
  }
  if (sources.size === 0) return;
  await hold(crawl);
  await tables.hosts.leads.change([...sources.keys()], async (host, leads) => {
    const added = sources.get(host)!.filter(({ entry }) => isLeft(entry, leads));
    if (added.length === 0) return undefined;
    const notes: (readonly [string, string])[] = [];
    for (const note of Object.entries(leads?.upTo ?? {})) if (await isOpen(batchOf(note[0]))) notes.push(note);
    return withSources({ ...(leads ?? NO_LEADS), upTo: Object.fromEntries(notes) }, ruleSet, batchId, added);
  });
}

async function sourcesOf(
  { tables }: CrawlContext,
  ruleSet: RuleSet,
  batchId: string,
  entries: readonly BatchEntry[],
): Promise<Source[]> {
  const rows = await tables.pages.getMany(
    entries.map(({ rowKey }) => rowKey),
    SOURCE_FIELDS,
  );
  const targetsOf = new Map<string, ReadonlySet<string>>();
  for (const row of rows) {
    if (!row || row.damaged || row.marks?.generate !== batchId || row.marks.fetch !== batchId) continue;
    const targets = handsOnLinks(row, batchId) ? linksOf(row).map(({ url }) => ruleSet.rewrite(url)?.url ?? url) : [];
    targetsOf.set(row.key, new Set(targets.filter((url) => ruleSet.fitOf(url)).map(rowKeyOf)));
  }
  const targets = [...new Set([...targetsOf.values()].flatMap((each) => [...each]))];
  const foundBy = new Map<string, number>();
  for (const row of await tables.pages.getMany(targets, ['linkedUpTo'])) {
    const first = row?.linkedUpTo?.[firstBy(batchId)];
    if (first !== undefined) foundBy.set(first, (foundBy.get(first) ?? 0) + 1);
  }
  return entries.flatMap((entry) =>
    targetsOf.has(entry.rowKey) ? [{ entry, found: foundBy.get(entry.rowKey) ?? 0 }] : [],
  );
}

function withSources(leads: HostLeads, ruleSet: RuleSet, batchId: string, sources: readonly Source[]): HostLeads {
  const upTo = new Map(Object.entries(leads.upTo));
  let sum = [...upTo.keys()].some((note) => batchOf(note) === batchId) ? leads : agedLeads(leads);
  for (const { entry, found } of sources) {
    const url = urlOf(entry.rowKey);
    const led: Led = [1, found];
    sum = addLeads(sum, { useful: ruleSet.fitOf(url) ? led : [0, 0], forms: { [leadForm(url)]: led } });
    const note = noteOf(batchId, entry);
    if (entry.place > (upTo.get(note) ?? '')) upTo.set(note, entry.place);
  }
  return { useful: sum.useful, forms: sum.forms, upTo: Object.fromEntries(upTo) };
}
