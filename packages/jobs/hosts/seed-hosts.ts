import { INDEX_COLUMNS, reversedHostOf, rowKeyOf, type Store, type WebTable } from '../../../webtable/index.js';
import { createBoundedCache } from '../../util/index.js';
import { hostOf } from '../../url/index.js';
import type { CrawlContext } from '../context.js';
import { createReachLookup, isPrivateName, lookUpReach, type SeedReach } from './seed-reach.js';

/**
 * Which hosts were injected, in the `host` table by reversed host: an index of the inject marks, so that the fetcher
 * need not look for a marked row among all rows of a host. An entry is written before the row it stands for. It holds
 * what the name led to when it was first looked up, which decides for good whether it may be at a private address:
 * otherwise who owns a name could lead the crawl into our network later.
 */
const COLUMN = INDEX_COLUMNS.hostSeed;
/** Not looked up yet. */
const UNDECIDED = 'y';

/** Tells the hosts that may be at private addresses from those that may not. */
export interface SeedHosts {
  /**
   * Whether the operator named the URL's host, and its name did not lead to public addresses when it was first looked
   * up. Where that was not found out yet, it is now. What this process injects later may not be seen.
   */
  mayBePrivate(url: string, signal?: AbortSignal): Promise<boolean>;
}

/** What {@link seedHostOf} answers. */
export type SeedHostState = SeedReach | 'undecided';

const MAX_HOSTS = 20_000;

/**
 * Reads nothing unless `http.privateAddresses` is `seeds`: otherwise it makes no difference. A host is read once, and again
 * after another process has changed rows.
 * @param keep false: what is found out is not written
 */
export function createSeedHosts(
  crawl: Pick<CrawlContext, 'settings' | 'table' | 'lookup' | 'outsideChanges'>,
  { keep = true } = {},
): SeedHosts {
  const { table, settings, outsideChanges = () => 0 } = crawl;
  if (settings.http.privateAddresses !== 'seeds') return { mayBePrivate: () => Promise.resolve(false) };
  const known = createBoundedCache<{ readonly answer: boolean; readonly changes: number }>(MAX_HOSTS);
  return {
    async mayBePrivate(url, signal) {
      const key = hostKeyOf(url);
      if (key === undefined) return false;
      const changes = outsideChanges();
      const before = known.get(key);
      if (before?.changes === changes) return before.answer;
      const host = hostOf(url);
      let state = await seedHostOf(table.store, key);
      if (state !== undefined && isPrivateName(host)) state = 'private';
      if (state === 'undecided') {
        const found = await lookUpReach(crawl, host, settings.http.timeout, signal);
        // It has no address now. The first that it has decides.
        if (found === undefined) return true;
        state = keep ? await table.exclusive('rows', () => decide(table.store, key, found)) : found;
      }
      const answer = state === 'private';
      known.set(key, { answer, changes }, 1);
      return answer;
    },
  };
}

/** undefined: the table cannot hold such a URL. A plugin may say that a redirect leads there. */
function hostKeyOf(url: string): string | undefined {
  try {
    return reversedHostOf(rowKeyOf(url));
  } catch {
    return undefined;
  }
}

/** What is known of a host, reversed; undefined where no page of it was injected. */
export async function seedHostOf(store: Store, host: string): Promise<SeedHostState | undefined> {
  return (await statesOf(store, [host]))[0];
}

async function statesOf(store: Store, hosts: readonly string[]): Promise<(SeedHostState | undefined)[]> {
  return (await store.get('host', hosts, [COLUMN])).map((row) => {
    const cell = row?.cells.get(COLUMN);
    if (!cell) return undefined;
    const text = Buffer.from(cell).toString('latin1');
    return text === 'public' || text === 'private' ? text : 'undecided';
  });
}

/** Notes what a host was found to lead to, unless that is known, and returns what holds from then on. */
async function decide(store: Store, host: string, found: SeedReach): Promise<SeedHostState | undefined> {
  const state = await seedHostOf(store, host);
  if (state !== 'undecided') return state;
  await write(store, new Map([[host, found]]));
  return found;
}

async function write(store: Store, cells: ReadonlyMap<string, string>): Promise<void> {
  if (cells.size === 0) return;
  await store.write(
    'host',
    Array.from(cells, ([key, text]) => ({ key, put: new Map([[COLUMN, Buffer.from(text, 'latin1')]]) })),
  );
}

/** Notes the hosts of rows that are about to get the inject mark; what is known of a host stays. */
export async function enterSeedHosts(
  store: Store,
  rowKeys: readonly string[],
  reaches: ReadonlyMap<string, SeedReach> = new Map(),
): Promise<void> {
  const hosts = [...new Set(rowKeys.map(reversedHostOf))];
  const states = await statesOf(store, hosts);
  const cells = new Map<string, string>();
  for (const [i, host] of hosts.entries()) {
    const reach = reaches.get(host);
    if (states[i] === undefined || (states[i] === 'undecided' && reach)) cells.set(host, reach ?? UNDECIDED);
  }
  await write(store, cells);
}

/**
 * What the hosts of seeds lead to, by reversed host, as far as that is not known and can be found out quickly.
 * Looks up nothing unless `http.privateAddresses` is `seeds`.
 */
export function createSeedJudge(
  crawl: Pick<CrawlContext, 'settings' | 'table' | 'lookup'>,
  signal?: AbortSignal,
): (urls: readonly string[]) => Promise<ReadonlyMap<string, SeedReach>> {
  if (crawl.settings.http.privateAddresses !== 'seeds') return () => Promise.resolve(new Map());
  const lookUp = createReachLookup(crawl, signal);
  return async (urls) => {
    const keys = new Map(urls.map((url) => [hostOf(url), reversedHostOf(rowKeyOf(url))]));
    const names = [...keys.keys()].filter((name) => !isPrivateName(name));
    const states = await statesOf(
      crawl.table.store,
      names.map((name) => keys.get(name)!),
    );
    const found = await lookUp(names.filter((_, i) => states[i] === undefined || states[i] === 'undecided'));
    return new Map(Array.from(found, ([name, reach]) => [keys.get(name)!, reach]));
  };
}

/** Whether each of these hosts, reversed, is noted. */
export async function hasSeedHosts(store: Store, hosts: readonly string[]): Promise<boolean[]> {
  return (await statesOf(store, hosts)).map((state) => state !== undefined);
}

/** All hosts that are noted, reversed. */
export async function* allSeedHosts(store: Store): AsyncGenerator<string> {
  for await (const { key } of store.scan('host', { columns: [COLUMN] })) yield key;
}

/** Forgets a host, reversed, of which no row has the inject mark. */
export async function removeSeedHost(store: Store, host: string): Promise<void> {
  await store.write('host', [{ key: host, delete: [COLUMN] }]);
}

/** Whether a row of a host, reversed, has the inject mark. Of a damaged row nobody knows, so it counts as one. */
export async function holdsSeed(table: WebTable, host: string): Promise<boolean> {
  for await (const row of table.scan({ ranges: [{ start: `${host}:`, end: `${host};` }], fields: ['marks'] })) {
    if (row.damaged || row.marks?.inject !== undefined) return true;
  }
  return false;
}
