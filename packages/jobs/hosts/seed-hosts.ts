import {
  hostKeyOf,
  hostKeyOfRow,
  rowsOfHost,
  type HostKey,
  type SeedReach,
  type Tables,
} from '../../../webtable/index.js';
import { createBoundedCache } from '../../util/index.js';
import { hostOf, tryParseUrl } from '../../url/index.js';
import type { CrawlContext } from '../context.js';
import { createReachLookup, isPrivateName, lookUpReach, type FoundReach } from './seed-reach.js';

/** Distinguishes the hosts that may be at private addresses from those that may not. */
export interface SeedHosts {
  /**
   * Whether the operator named the URL's host, and its name did not lead to public addresses when it was first looked
   * up. Where that was not found out yet, it is now. What this process injects later may not be seen.
   */
  mayBePrivate(url: string, signal?: AbortSignal): Promise<boolean>;
}

const MAX_HOSTS = 20_000;

/**
 * Reads nothing unless `http.privateAddresses` is `seeds`: otherwise it makes no difference. A host is read once, and again
 * after another process has changed rows.
 * @param keep false: what is found out is not written
 */
export function createSeedHosts(
  crawl: Pick<CrawlContext, 'settings' | 'tables' | 'lookup' | 'outsideChanges'>,
  { keep = true } = {},
): SeedHosts {
  const { tables, settings, outsideChanges = () => 0 } = crawl;
  if (settings.http.privateAddresses !== 'seeds') return { mayBePrivate: () => Promise.resolve(false) };
  const known = createBoundedCache<{ readonly answer: boolean; readonly changes: number }>(MAX_HOSTS);
  return {
    async mayBePrivate(url, signal) {
      const parsed = tryParseUrl(url);
      if (!parsed) return false;
      const host = parsed.hostname;
      const key = hostKeyOf(host);
      const changes = outsideChanges();
      const before = known.get(key);
      if (before?.changes === changes) return before.answer;
      let state = await reachOf(tables, key);
      if (state !== undefined && isPrivateName(host)) state = 'private';
      if (state === 'undecided') {
        const found = await lookUpReach(crawl, host, settings.http.timeout, signal);
        // It has no address now. The first that it has decides.
        if (found === undefined) return true;
        state = keep ? await tables.exclusive('rows', () => decide(tables, key, found)) : found;
      }
      const answer = state === 'private';
      known.set(key, { answer, changes }, 1);
      return answer;
    },
  };
}

/** What is known of a host; undefined where no page of it was injected. */
export async function reachOf({ hosts }: Pick<Tables, 'hosts'>, host: HostKey): Promise<SeedReach | undefined> {
  return (await hosts.seeds.get([host]))[0];
}

/** Notes what a host was found to lead to, unless that is known, and returns what holds from then on. */
async function decide(tables: Tables, host: HostKey, found: FoundReach): Promise<SeedReach | undefined> {
  const states = await tables.hosts.seeds.change([host], (_, state) => (state === 'undecided' ? found : undefined));
  return states.get(host);
}

/**
 * Notes the hosts of rows that are about to get the inject mark; what is known of a host stays. Where others may remove the last seed
 * of a host meanwhile, call it again when the rows have their marks.
 */
export async function enterSeedHosts(
  { hosts: { seeds } }: Pick<Tables, 'hosts'>,
  rowKeys: readonly string[],
  reaches: ReadonlyMap<HostKey, FoundReach> = new Map(),
): Promise<void> {
  const hosts = [...new Set(rowKeys.map(hostKeyOfRow))];
  const states = await seeds.get(hosts);
  const isMissing = (host: HostKey, state: SeedReach | undefined): boolean =>
    state === undefined || (state === 'undecided' && reaches.has(host));
  const missing = hosts.filter((host, i) => isMissing(host, states[i]));
  if (missing.length === 0) return;
  await seeds.change(missing, (host, state) =>
    isMissing(host, state) ? (reaches.get(host) ?? 'undecided') : undefined,
  );
}

/** Forgets that a host is a seed's, where none of its rows has the inject mark. */
export async function removeSeedHost(
  tables: Pick<Tables, 'hosts' | 'pages' | 'exclusive'>,
  host: HostKey,
): Promise<void> {
  await tables.exclusive('rows', () =>
    tables.hosts.seeds.change([host], async () => ((await holdsSeed(tables, host)) ? undefined : null)),
  );
}

/**
 * What the hosts of seeds lead to, by reversed host, as far as that is not known and can be found out quickly.
 * Looks up nothing unless `http.privateAddresses` is `seeds`.
 */
export function createSeedJudge(
  crawl: Pick<CrawlContext, 'settings' | 'tables' | 'lookup'>,
  signal?: AbortSignal,
): (urls: readonly string[]) => Promise<ReadonlyMap<HostKey, FoundReach>> {
  if (crawl.settings.http.privateAddresses !== 'seeds') return () => Promise.resolve(new Map());
  const lookUp = createReachLookup(crawl, signal);
  return async (urls) => {
    const names = [...new Set(urls.map(hostOf))].filter((name) => !isPrivateName(name));
    const states = await crawl.tables.hosts.seeds.get(names.map(hostKeyOf));
    const found = await lookUp(names.filter((_, i) => states[i] === undefined || states[i] === 'undecided'));
    return new Map(Array.from(found, ([name, reach]) => [hostKeyOf(name), reach]));
  };
}

/** Whether a row of a host has the inject mark. Of a damaged row nobody knows, so it counts as one. */
export async function holdsSeed({ pages }: Pick<Tables, 'pages'>, host: HostKey): Promise<boolean> {
  for await (const row of pages.scan({ ranges: [rowsOfHost(host)], fields: ['marks'] })) {
    if (row.damaged || row.marks?.inject !== undefined) return true;
  }
  return false;
}
