import { INDEX_COLUMNS, SegmentFolder, TABLES, type TableName } from '../core/index.js';
import { CrawlError } from '../errors/index.js';
import { hbaseTableName, parseHBaseAddress } from './address.js';
import { Gateways, GATEWAY_TIMES, type GatewayTimes } from './gateway/gateways.js';
import { HBaseStore } from './hbase-store.js';
import { targetOf } from './changes.js';
import { familiesOf } from './layout.js';
import { getMultiple } from './requests.js';
import { toStoreError } from './store-failures.js';
import { lastCell } from './thrift/read-rows.js';

interface OpenHBaseOptions {
  /** Opening is retried for this many milliseconds while HBase does not respond. Default: 10 s, so that a misspelt name is reported soon. */
  readonly reachFor?: number;
  /** Time limits. Default: long enough to survive the death of a server. */
  readonly times?: GatewayTimes;
}

const REACH_FOR = 10_000;
/**
 * Tables of schema 7 and before have timestamps in microseconds, which are higher than this. They would hide all changes of the owners of
 * slots.
 */
const MAX_TIMESTAMP = 1e14;

/**
 * Opens the tables that a URL names, see {@link parseHBaseAddress}. The tables must exist.
 * @throws CrawlError BAD_SETTING, NO_TABLE, TABLE_VERSION, STORE_DENIED, STORE_AWAY, STORE_FAILED
 */
export async function openHBaseStore(url: string, options: OpenHBaseOptions = {}): Promise<HBaseStore> {
  const { times = GATEWAY_TIMES, reachFor = REACH_FOR } = options;
  const address = parseHBaseAddress(url);
  const gateways = new Gateways(address.gateways, times);
  const nameOf = (table: TableName): string => hbaseTableName(address, table);
  const where = `${gateways.name}, tables ${address.namespace}:${address.prefix}_…`;
  try {
    // The tables are checked one after another, so that an unreachable gateway is not called seven times.
    for (const table of Object.keys(TABLES) as TableName[]) await lookAt(gateways, nameOf(table), table, reachFor);
    await mustBeOfEpochs(gateways, nameOf('meta'));
    const content = address.segments === undefined ? undefined : new SegmentFolder(address.segments);
    return new HBaseStore({ gateways, nameOf, ...(content && { content }) });
  } catch (error) {
    gateways.close();
    throw toStoreError(error, where);
  }
}

/**
 * Checks a table by reading a missing row from all families. This fails if the table or a family is missing, and needs only the right to
 * read.
 */
async function lookAt(gateways: Gateways, name: string, table: TableName, giveUp: number): Promise<void> {
  const columns = familiesOf(table).map((family) => ({ family }));
  await gateways.call(getMultiple(name, ['no-row'], { columns }, lastCell()), undefined, giveUp);
}

/** @throws CrawlError TABLE_VERSION for a table whose timestamps are times in microseconds */
async function mustBeOfEpochs(gateways: Gateways, meta: string): Promise<void> {
  const columns = [targetOf(INDEX_COLUMNS.schemaVersion)];
  const [found] = await gateways.call(getMultiple(meta, ['schema'], { columns }, lastCell()));
  if (!found || found.at <= MAX_TIMESTAMP) return;
  throw new CrawlError('TABLE_VERSION', `the tables of ${meta} were written by an earlier version of webcrawl`, {
    hint: 'crawl into a new table with the seeds of this one; docs/HBASE.md says what can be copied',
  });
}
