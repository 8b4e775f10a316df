import { INDEX_COLUMNS, type Store } from '../../../webtable/index.js';
import type { RobotsStore, StoredRobots } from '../../fetch/index.js';

/** Forgets the robots.txt of an origin, which is fetched anew when it is next needed. */
export async function forgetRobots(store: Store, origin: string): Promise<void> {
  await store.write('host', [{ key: origin, delete: [INDEX_COLUMNS.hostRobots] }]);
}

/**
 * Keeps each robots.txt in the `host` table, by origin. A record that cannot be read counts as none, and is fetched
 * anew.
 */
export function createRobotsStore(store: Store): RobotsStore {
  return {
    async get(origin) {
      const [row] = await store.get('host', [origin], [INDEX_COLUMNS.hostRobots]);
      const cell = row?.cells.get(INDEX_COLUMNS.hostRobots);
      return cell && read(cell);
    },
    async put(origin, robots) {
      const cell = Buffer.from(JSON.stringify(robots), 'utf8');
      await store.write('host', [{ key: origin, put: new Map([[INDEX_COLUMNS.hostRobots, cell]]) }]);
    },
  };
}

function read(cell: Uint8Array): StoredRobots | undefined {
  try {
    const { fetchedAt, status, body, isUntold } = JSON.parse(Buffer.from(cell).toString('utf8')) as Record<
      string,
      unknown
    >;
    if (typeof fetchedAt !== 'number' || typeof status !== 'number') return undefined;
    return { fetchedAt, status, ...(typeof body === 'string' && { body }), ...(isUntold === true && { isUntold }) };
  } catch {
    return undefined;
  }
}
