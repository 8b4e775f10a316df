import { SegmentFolder, TABLES, type TableName } from '../core/index.js';
import { hbaseTableName, parseHBaseAddress } from './address.js';
import { Gateways, GATEWAY_TIMES, type GatewayTimes } from './gateway/gateways.js';
import { HBaseStore } from './hbase-store.js';
import { CLOCK_ROW, familiesOf } from './layout.js';
import { getMultiple } from './requests.js';
import { ServerClock, timestamps } from './server-clock.js';
import { toStoreError } from './store-failures.js';
import { Ticks } from './ticks.js';

interface OpenHBaseOptions {
  /** Milliseconds since the epoch. Default: the system's clock. */
  readonly clock?: () => number;
  /** A monotonic clock, in milliseconds. Default: `performance.now()`. */
  readonly monotonic?: () => number;
  /** Opening is retried for this many milliseconds while HBase does not answer. Default: 10 s, so that a misspelt name is reported soon. */
  readonly reachFor?: number;
  /** Time limits. Default: long enough to survive the death of a server. */
  readonly times?: GatewayTimes;
}

const REACH_FOR = 10_000;

/**
 * Opens the tables that a URL names, see {@link parseHBaseAddress}. The tables must exist.
 * @throws CrawlError BAD_SETTING, NO_TABLE, STORE_DENIED, STORE_AWAY, STORE_FAILED, CLOCK_OFF
 */
export async function openHBaseStore(url: string, options: OpenHBaseOptions = {}): Promise<HBaseStore> {
  const { clock = Date.now, monotonic, times = GATEWAY_TIMES, reachFor = REACH_FOR } = options;
  const address = parseHBaseAddress(url);
  const gateways = new Gateways(address.gateways, times);
  const nameOf = (table: TableName): string => hbaseTableName(address, table);
  const where = `${gateways.name}, tables ${address.namespace}:${address.prefix}_…`;
  try {
    // The tables are checked one after another, so that an unreachable gateway is not asked seven times.
    for (const table of Object.keys(TABLES) as TableName[]) await lookAt(gateways, nameOf(table), table, reachFor);
    const ticks = new Ticks(clock);
    const serverClock = new ServerClock(gateways, nameOf('meta'), { clock, ticks, ...(monotonic && { monotonic }) });
    await serverClock.ask(reachFor);
    const content = address.segments === undefined ? undefined : new SegmentFolder(address.segments);
    return new HBaseStore({ gateways, ticks, serverClock, nameOf, ...(content && { content }) });
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
  await gateways.call(getMultiple(name, [CLOCK_ROW], { columns }, timestamps()), undefined, giveUp);
}
