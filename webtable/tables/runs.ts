/** What a table knows of the runs on it: the scope of the last crawl, whether ranks are being written, and who reads what was updated. */
import { CrawlError } from '../../packages/errors/index.js';
import { json, type Codec } from '../pages/codec.js';
import { INDEX_COLUMNS } from '../schema.js';
import type { Column, Store } from '../store.js';
import type { Exclusive } from '../stores/locks.js';
import { untilUnchanged, writeUnchanged } from '../write-unchanged.js';

/** What ranks are of: of pages, or of their hosts. */
export type RankedLevel = 'page' | 'host';

/** What is known of the runs on a table. */
export type Runs = ReturnType<typeof createRuns>;

const anything = json<unknown>(() => true);
const names = json<string[]>((value) => Array.isArray(value) && value.every((name) => typeof name === 'string'));

export function createRuns(store: Store, exclusive: Exclusive) {
  async function get<V>(key: string, column: Column, codec: Codec<V>): Promise<V | undefined> {
    const [row] = await store.get('meta', [key], [column]);
    const cell = row?.cells.get(column);
    if (!cell) return undefined;
    try {
      return codec.decode(cell);
    } catch {
      throw new CrawlError(
        'TABLE_DAMAGED',
        `expected to read the row ${key} of table meta, found something else in it`,
      );
    }
  }
  const put = <V>(key: string, column: Column, codec: Codec<V>, value: V): Promise<void> =>
    store.write('meta', [{ key, put: new Map([[column, codec.encode(value)]]) }]);

  return {
    /** What the last crawl noted of itself, as JSON. @throws CrawlError TABLE_DAMAGED where it cannot be read */
    lastCrawl: () => get('crawl', INDEX_COLUMNS.crawlScope, anything),
    putLastCrawl: (value: unknown) => put('crawl', INDEX_COLUMNS.crawlScope, anything, value),
    /** Whether ranks of a level are being written to the rows, or were when it was killed: then they are of two runs. */
    isRankWriting: async (level: RankedLevel) => (await get(`rank-${level}`, INDEX_COLUMNS.rankRun, anything)) === true,
    putRankWriting: (level: RankedLevel, value: boolean) =>
      put(`rank-${level}`, INDEX_COLUMNS.rankRun, anything, value),
    /** The jobs that read each batch once it is updated. Until each has, its rows can be found. None: nothing is kept. */
    consumers: async () => (await get('consumers', INDEX_COLUMNS.consumers, names)) ?? [],
    /** Enters one of them, or removes it, while nobody else changes them. */
    changeConsumer: (name: string, isOne: boolean): Promise<void> =>
      untilUnchanged(store, exclusive, async () => {
        const [row] = await store.get('meta', ['consumers'], [INDEX_COLUMNS.consumers]);
        const cell = row?.cells.get(INDEX_COLUMNS.consumers);
        const others = (cell ? names.decode(cell) : []).filter((each) => each !== name);
        const put = new Map([[INDEX_COLUMNS.consumers, names.encode(isOne ? [...others, name] : others)] as const]);
        const lost = await writeUnchanged(store, 'meta', [
          { change: { key: 'consumers', put }, version: row?.version },
        ]);
        return lost.size > 0 ? 'lost' : { done: undefined };
      }),
    /**
     * The id of the place into which a consumer has read all rows, and to which alone batches went since: only of what is not there yet
     * do batches lead to the rows. undefined: there is none.
     */
    hasReadAllInto: async (consumer: string) => {
      const found = await get(`consumer-${consumer}`, INDEX_COLUMNS.consumerRun, anything);
      return typeof found === 'string' ? found : undefined;
    },
    putReadAllInto: (consumer: string, id: string | undefined) =>
      put(`consumer-${consumer}`, INDEX_COLUMNS.consumerRun, anything, id ?? false),
  };
}
