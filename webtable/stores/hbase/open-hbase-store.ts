import { CrawlError, safeText } from '../../../packages/errors/index.js';
import { SegmentFolder } from '../../content/segment-folder.js';
import { TABLES, type TableName } from '../../schema.js';
import { hbaseTableName, parseHBaseAddress } from './address.js';
import { Gateways, GATEWAY_TIMES, type GatewayTimes } from './gateway/gateways.js';
import { HBaseStore } from './hbase-store.js';
import { CLOCK_QUALIFIER, CLOCK_ROW, familiesOf, versionFamily } from './layout.js';
import { getMultiple, putMultiple, type RowDecoder } from './requests.js';
import { toStoreError } from './store-failures.js';
import { Ticks } from './ticks.js';

/** How a store on HBase is opened; everything may be left out. */
export interface OpenHBaseOptions {
  /** Milliseconds since the epoch. Default: the system's clock. */
  readonly clock?: () => number;
  /**
   * Milliseconds for which an HBase that does not answer is asked again, while it is opened. Default: 10 s, since whoever has
   * misspelt a name wants to hear of it.
   */
  readonly reachFor?: number;
  /** How long what may take. Default: so long that the death of a server is ridden out. */
  readonly times?: GatewayTimes;
}

/** Clocks that are further apart are refused, in milliseconds. */
const MOST_APART = 60_000;
/** How often the clock of the server is asked for; the quickest answer counts. */
const PROBES = 3;
const REACH_FOR = 10_000;

/**
 * Opens the tables that a URL names, see {@link parseHBaseAddress}. They must be there.
 * @throws CrawlError BAD_SETTING, NO_TABLE, STORE_DENIED, STORE_AWAY, STORE_FAILED, CLOCK_OFF
 */
export async function openHBaseStore(url: string, options: OpenHBaseOptions = {}): Promise<HBaseStore> {
  const { clock = Date.now, times = GATEWAY_TIMES, reachFor = REACH_FOR } = options;
  const address = parseHBaseAddress(url);
  const gateways = new Gateways(address.gateways, times);
  const nameOf = (table: TableName): string => hbaseTableName(address, table);
  const where = `${gateways.name}, tables ${address.namespace}:${address.prefix}_…`;
  try {
    // One after the other up to the first answer, so that a gateway that is not there is not asked seven times.
    for (const table of Object.keys(TABLES) as TableName[]) await lookAt(gateways, nameOf(table), table, reachFor);
    const ticks = new Ticks(clock);
    ticks.follow(await offsetOf(gateways, nameOf('meta'), clock, reachFor));
    const content = address.segments === undefined ? undefined : new SegmentFolder(address.segments);
    return new HBaseStore({ gateways, ticks, nameOf, ...(content && { content }) });
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

/**
 * How many milliseconds the clock of the server is ahead of ours: a cell that is put without a timestamp gets one between the put
 * and the answer.
 * @throws CrawlError CLOCK_OFF
 */
async function offsetOf(gateways: Gateways, name: string, clock: () => number, giveUp: number): Promise<number> {
  const target = { family: versionFamily('meta'), qualifier: CLOCK_QUALIFIER };
  let best = { took: Infinity, offset: 0 };
  for (let i = 0; i < PROBES; i++) {
    const sent = clock();
    const began = performance.now();
    const cells = [{ ...target, value: Buffer.from(String(sent)) }];
    await gateways.call(putMultiple(name, [{ key: CLOCK_ROW, cells }], 256), undefined, giveUp);
    const [stamp] = await gateways.call(
      getMultiple(name, [CLOCK_ROW], { columns: [target] }, timestamps()),
      undefined,
      giveUp,
    );
    const took = performance.now() - began;
    if (stamp === undefined)
      throw new CrawlError('STORE_FAILED', `expected to read what was put into ${safeText(name)}, found nothing`);
    if (took < best.took) best = { took, offset: stamp - (sent + took / 2) };
  }
  const apart = Math.max(0, Math.abs(best.offset) - best.took / 2);
  if (apart <= MOST_APART) return best.offset;
  const seconds = Math.round(apart / 1000);
  throw new CrawlError(
    'CLOCK_OFF',
    `expected the clocks of this machine and of HBase within ${MOST_APART / 1000} s, found them ${seconds} s apart`,
    { hint: 'set the clock of this machine, for instance by NTP; what is written is put in order by it' },
  );
}

/** The newest timestamp of each row. */
function timestamps(): RowDecoder<number | undefined> {
  let newest: number | undefined;
  return {
    begin() {
      newest = undefined;
    },
    cell(_family, _qualifier, _value, timestamp) {
      newest = Math.max(newest ?? timestamp, timestamp);
    },
    end: () => newest,
  };
}
