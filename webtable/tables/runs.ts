/** Data on the runs of a table: the scope of the last crawl, whether ranks are being written, and the consumers of updated batches. */
import { json, metaValue, type Codec } from '../pages/codec.js';
import { INDEX_COLUMNS } from '../schema.js';
import type { Column, Store } from '../store.js';
import type { Exclusive } from '../../packages/util/index.js';
import { changeShared } from '../change-shared.js';

/** The level of ranks: pages, or their hosts. */
export type RankedLevel = 'page' | 'host';

export type Runs = ReturnType<typeof createRuns>;

const anything = json<unknown>(() => true);
const names = json<string[]>((value) => Array.isArray(value) && value.every((name) => typeof name === 'string'));

export function createRuns(store: Store, exclusive: Exclusive) {
  async function get<V>(key: string, column: Column, codec: Codec<V>): Promise<V | undefined> {
    const [row] = await store.get('meta', [key], [column]);
    return metaValue(row, column, codec);
  }
  const put = <V>(key: string, column: Column, codec: Codec<V>, value: V): Promise<void> =>
    store.write('meta', [{ key, put: new Map([[column, codec.encode(value)]]) }]);

  return {
    /** The data that the last crawl recorded about itself, as JSON. @throws CrawlError TABLE_DAMAGED if the data cannot be read */
    lastCrawl: () => get('crawl', INDEX_COLUMNS.crawlScope, anything),
    putLastCrawl: (value: unknown) => put('crawl', INDEX_COLUMNS.crawlScope, anything, value),
    /**
     * Whether ranks of a level are being written to the rows, or a kill has stopped the writing. While this is true, the rows may have
     * ranks of two runs.
     */
    isRankWriting: async (level: RankedLevel) => (await get(`rank-${level}`, INDEX_COLUMNS.rankRun, anything)) === true,
    putRankWriting: (level: RankedLevel, value: boolean) =>
      put(`rank-${level}`, INDEX_COLUMNS.rankRun, anything, value),
    /**
     * The jobs that read each updated batch. The rows of a batch can be found until each consumer has read it. Without consumers, no index
     * of updated rows is kept.
     */
    consumers: async () => (await get('consumers', INDEX_COLUMNS.consumers, names)) ?? [],
    /** Adds or removes a consumer. No other process can change the list meanwhile. */
    changeConsumer(name: string, isOne: boolean): Promise<void> {
      const column = INDEX_COLUMNS.consumers;
      return changeShared(store, exclusive, { table: 'meta', keys: ['consumers'], column }, (_, row) => {
        const others = (metaValue(row, column, names) ?? []).filter((each) => each !== name);
        return { put: new Map([[column, names.encode(isOne ? [...others, name] : others)]]) };
      });
    },
    /**
     * Returns the id of the index into which a consumer has read all rows; undefined if there is no such index. After that, the consumer
     * has sent only batches to this index. So this is the only index for which reading the batches is enough.
     */
    hasReadAllInto: async (consumer: string) => {
      const found = await get(`consumer-${consumer}`, INDEX_COLUMNS.consumerRun, anything);
      return typeof found === 'string' ? found : undefined;
    },
    putReadAllInto: (consumer: string, id: string | undefined) =>
      put(`consumer-${consumer}`, INDEX_COLUMNS.consumerRun, anything, id ?? false),
  };
}
