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

/** Decides which hosts may be at private addresses. */
export interface SeedHosts {
  /**
   * Whether the URL's host may be at a private address: the operator injected a page of the host, and the first lookup of its name did not
   * give public addresses. If there was no lookup yet, this call makes it. The result may not know a host that this process injects later.
   */
  mayBePrivate(url: string, signal?: AbortSignal): Promise<boolean>;
}

const MAX_HOSTS = 20_000;

/**
 * Creates the check. It reads hosts only if `http.privateAddresses` is `seeds`; otherwise its answer is always false. Each host is read
 * once. It is read again after another process has changed rows.
 * @param keep false: the result of a lookup is not stored
 */
export function createSeedHosts(
  crawl: Pick<CrawlContext, 'settings' | 'tables' | 'lookup' | 'outsideChanges'>,
  { keep = true } = {},
): SeedHosts {
  const { tables, settings, outsideChanges } = crawl;
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
        // The host has no address now. The first lookup that finds an address will decide.
        if (found === undefined) return true;
        state = keep ? await tables.exclusive('rows', () => decide(tables, key, found)) : found;
      }
      const answer = state === 'private';
      known.set(key, { answer, changes }, 1);
      return answer;
    },
  };
}

/** Returns where the name of a host led at its first lookup. Returns undefined if no page of the host was injected. */
export async function reachOf({ hosts }: Pick<Tables, 'hosts'>, host: HostKey): Promise<SeedReach | undefined> {
  return (await hosts.seeds.get([host]))[0];
}

/** Records the result of a lookup, if there is no earlier result. Returns the recorded result. */
async function decide(tables: Tables, host: HostKey, found: FoundReach): Promise<SeedReach | undefined> {
  const states = await tables.hosts.seeds.change([host], (_, state) => (state === 'undecided' ? found : undefined));
  return states.get(host);
}

/**
 * Records the hosts of rows that will get the inject mark. Known hosts stay as they are. Call it again when the rows have their marks, if
 * another worker may have removed the last seed of such a host meanwhile. That worker also removes the host.
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

/** Removes a host from the recorded hosts of seeds, if no row of the host has the inject mark. */
export async function removeSeedHost(
  tables: Pick<Tables, 'hosts' | 'pages' | 'exclusive'>,
  host: HostKey,
): Promise<void> {
  await tables.exclusive('rows', () =>
    tables.hosts.seeds.change([host], async () => ((await holdsSeed(tables, host)) ? undefined : null)),
  );
}

/**
 * Creates a function that looks up where the names of seed hosts lead. It returns the results by host key. Names are left out if their
 * result is already recorded, or if their lookup takes long. Nothing is looked up unless `http.privateAddresses` is `seeds`.
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

/** Whether a row of a host has the inject mark. A damaged row counts as marked, because its mark is unknown. */
export async function holdsSeed({ pages }: Pick<Tables, 'pages'>, host: HostKey): Promise<boolean> {
  for await (const row of pages.scan({ ranges: [rowsOfHost(host)], fields: ['marks'] })) {
    if (row.damaged || row.marks?.inject !== undefined) return true;
  }
  return false;
}
