import { SegmentFolder } from '../../content/segment-folder.js';
import { TABLES, type TableName } from '../../schema.js';
import { hbaseTableName, parseHBaseAddress } from './address.js';
import { Gateways, GATEWAY_TIMES, type GatewayTimes } from './gateway/gateways.js';
import { HBaseStore } from './hbase-store.js';
import { CLOCK_ROW, familiesOf } from './layout.js';
import { getMultiple } from './requests.js';
import { ServerClock, timestamps } from './server-clock.js';
import { toStoreError } from './store-failures.js';
import { Ticks } from './ticks.js';

/** How a store on HBase is opened; everything may be left out. */
export interface OpenHBaseOptions {
  /** Milliseconds since the epoch. Default: the system's clock. */
  readonly clock?: () => number;
  /** Milliseconds since any moment, of a clock that nobody sets. Default: that of `performance`. */
  readonly monotonic?: () => number;
  /**
   * Milliseconds for which an HBase that does not answer is asked again, while it is opened. Default: 10 s, since whoever has
   * misspelt a name wants to hear of it.
   */
  readonly reachFor?: number;
  /** How long what may take. Default: so long that the death of a server is ridden out. */
  readonly times?: GatewayTimes;
}

const REACH_FOR = 10_000;

/**
 * Opens the tables that a URL names, see {@link parseHBaseAddress}. They must be there.
 * @throws CrawlError BAD_SETTING, NO_TABLE, STORE_DENIED, STORE_AWAY, STORE_FAILED, CLOCK_OFF
 */
export async function openHBaseStore(url: string, options: OpenHBaseOptions = {}): Promise<HBaseStore> {
  const { clock = Date.now, monotonic, times = GATEWAY_TIMES, reachFor = REACH_FOR } = options;
  const address = parseHBaseAddress(url);
  const gateways = new Gateways(address.gateways, times);
  const nameOf = (table: TableName): string => hbaseTableName(address, table);
  const where = `${gateways.name}, tables ${address.namespace}:${address.prefix}_…`;
  try {
    // One after the other up to the first answer, so that a gateway that is not there is not asked seven times.
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

/** Reads a row that is not there of all families, so that what is missing shows; it takes the right to read only. */
async function lookAt(gateways: Gateways, name: string, table: TableName, giveUp: number): Promise<void> {
  const columns = familiesOf(table).map((family) => ({ family }));
  await gateways.call(getMultiple(name, [CLOCK_ROW], { columns }, timestamps()), undefined, giveUp);
}
