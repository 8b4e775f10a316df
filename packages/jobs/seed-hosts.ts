import { INDEX_COLUMNS, reversedHostOf, rowKeyOf, type Store, type WebTable } from '../../webtable/index.js';
import type { CrawlContext } from './context.js';

/**
 * Which hosts were injected, in the `host` table by reversed host: an index of the inject marks, so that the fetcher
 * need not look for a marked row among all rows of a host. An entry is written before the row it stands for.
 */
const COLUMN = INDEX_COLUMNS.hostSeed;

/** Tells the hosts that the operator named from those that links and redirects lead to. */
export interface SeedHosts {
  /** Whether a page of the URL's host was injected. A host is read once; what is injected later may not be seen. */
  has(url: string): Promise<boolean>;
}

const MAX_HOSTS = 20_000;

/** Reads nothing unless `http.privateAddresses` is `seeds`: otherwise it makes no difference. */
export function createSeedHosts(crawl: Pick<CrawlContext, 'settings' | 'table'>): SeedHosts {
  if (crawl.settings.http.privateAddresses !== 'seeds') return { has: () => Promise.resolve(false) };
  const known = new Map<string, Promise<boolean>>();
  return {
    has(url) {
      const host = hostKeyOf(url);
      if (host === undefined) return Promise.resolve(false);
      let found = known.get(host);
      if (!found) {
        if (known.size >= MAX_HOSTS) known.clear();
        found = hasSeedHosts(crawl.table.store, [host]).then(([isSeed = false]) => isSeed);
        known.set(host, found);
      }
      return found;
    },
  };
}

/** undefined: the table can not hold such a URL. A plugin may say that a redirect leads there. */
function hostKeyOf(url: string): string | undefined {
  try {
    return reversedHostOf(rowKeyOf(url));
  } catch {
    return undefined;
  }
}

/** Notes the hosts of rows that are about to get the inject mark. */
export async function enterSeedHosts(store: Store, rowKeys: readonly string[]): Promise<void> {
  const hosts = new Set(rowKeys.map(reversedHostOf));
  const put = new Map([[COLUMN, Buffer.from('y', 'latin1')]]);
  if (hosts.size > 0)
    await store.write(
      'host',
      [...hosts].map((key) => ({ key, put })),
    );
}

/** Whether each of these hosts, reversed, is noted. */
export async function hasSeedHosts(store: Store, hosts: readonly string[]): Promise<boolean[]> {
  return (await store.get('host', hosts, [COLUMN])).map((row) => row !== undefined);
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
