import { CrawlError } from '../errors/index.js';
import { slotsOf, TABLES, type TableName } from '../core/index.js';
import { DEFAULT_NAMESPACE, hbaseTableName, parseHBaseAddress, type HBaseAddress } from './address.js';
import {
  addColumnFamily,
  createNamespace,
  createTable,
  getAllRegionLocations,
  tableExists,
  type FamilyDescriptor,
} from './admin-requests.js';
import { GatewayFailure } from './gateway/failure.js';
import { Gateways, GATEWAY_TIMES, type GatewayTimes } from './gateway/gateways.js';
import { familiesOf } from './layout.js';
import { getMultiple } from './requests.js';
import { toStoreError } from './store-failures.js';
import { lastCell } from './thrift/read-rows.js';

/** The result of `createHBaseTables`. */
export interface CreatedTables {
  /** The new tables, by their names in HBase. */
  readonly created: readonly string[];
  /** Tables that already existed and lacked no family. */
  readonly existing: readonly string[];
  /** The added families, as `table:family`. */
  readonly added: readonly string[];
  /** Commands for the HBase shell that split the tables. Empty if the gateway has split them. */
  readonly shellLines: readonly string[];
}

interface CreateTablesOptions {
  readonly slots: number;
  /** Number of slots at which each index, and the inboxes, are split when the tables are created. 0: HBase splits the tables as they grow. */
  readonly splits?: number;
  readonly times?: GatewayTimes;
}

/**
 * The tables that are split, each with the parts of keys before the slot. In `batch`, two zones are split: the rows that batches hold, and
 * the inboxes. An inbox stays small, so HBase would never split it by its size, although most links go through inboxes.
 */
const SPLIT_TABLES: Partial<Record<TableName, readonly string[]>> = { frontier: [''], batch: ['e', 'i'] };
/** Large families that are read seldom. */
const COMPRESSED = new Set(['l', 'p', 'c']);

/**
 * Creates the tables that a URL names, and adds missing families to existing tables. It can be called again at any time.
 * @throws CrawlError BAD_SETTING, STORE_DENIED with the lines for an operator in `details`, STORE_AWAY, STORE_FAILED
 */
export async function createHBaseTables(
  url: string,
  { slots, splits = 0, times = GATEWAY_TIMES }: CreateTablesOptions,
): Promise<CreatedTables> {
  const address = parseHBaseAddress(url);
  // Checks the numbers before any request.
  splitKeys('frontier', slots, splits);
  const gateways = new Gateways(address.gateways, times);
  const made = { created: [] as string[], existing: [] as string[], added: [] as string[], shellLines: [] as string[] };
  try {
    if (address.namespace !== DEFAULT_NAMESPACE)
      await ignoring(/NamespaceExistException/, gateways.call(createNamespace(address.namespace)));
    for (const table of Object.keys(TABLES) as TableName[]) {
      const name = hbaseTableName(address, table);
      if (await gateways.call(tableExists(name))) {
        const added = await addMissing(gateways, name, table);
        if (added.length > 0) made.added.push(...added);
        else made.existing.push(name);
        continue;
      }
      const keys = splitKeys(table, slots, splits);
      const isSplit = await create(gateways, name, table, keys);
      if (!isSplit) made.shellLines.push(...keys.map((key) => `split '${name}', '${key}'`));
      made.created.push(name);
    }
    return made;
  } catch (error) {
    const failure = toStoreError(error, `${gateways.name}, tables ${address.namespace}:${address.prefix}_…`);
    if (failure.code !== 'STORE_DENIED') throw failure;
    const lines = shellLinesOf(address, { slots, splits });
    throw new CrawlError('STORE_DENIED', failure.message, {
      hint: `have an operator run these lines in the HBase shell:\n${lines.join('\n')}`,
      cause: error,
      details: { lines },
    });
  } finally {
    gateways.close();
  }
}

/** Returns commands for the HBase shell that create all tables. They help a user who has no right to create tables through a gateway. */
function shellLinesOf(address: HBaseAddress, { slots, splits = 0 }: CreateTablesOptions): string[] {
  const namespace = address.namespace === DEFAULT_NAMESPACE ? [] : [`create_namespace '${address.namespace}'`];
  const tables = (Object.keys(TABLES) as TableName[]).map((table) => {
    const families = familiesOf(table).map((family) => {
      const { compression, encoding } = describe(family);
      return `{NAME => '${family}', VERSIONS => 1, COMPRESSION => '${compression}', DATA_BLOCK_ENCODING => '${encoding}'}`;
    });
    const keys = splitKeys(table, slots, splits).map((key) => `'${key}'`);
    const split = keys.length > 0 ? [`SPLITS => [${keys.join(', ')}]`] : [];
    return `create '${hbaseTableName(address, table)}', ${[...families, ...split].join(', ')}`;
  });
  return [...namespace, ...tables];
}

/**
 * @returns false if the table was created but could not be split
 * @throws GatewayFailure
 */
async function create(gateways: Gateways, name: string, table: TableName, keys: readonly string[]): Promise<boolean> {
  const families = familiesOf(table).map(describe);
  // Some gateways have a bug: they replace every split key by the frame of the call. HBase refuses two equal keys, so the bug is noticed.
  // It would accept a single wrong key, so a table is not created with one key.
  if (keys.length > 1) {
    try {
      await gateways.call(createTable(name, families, keys));
      return (await gateways.call(getAllRegionLocations(name))).sort().join() === ['', ...keys].join();
    } catch (error) {
      const isAboutKeys =
        error instanceof GatewayFailure &&
        (error.kind === 'internal' || error.message.includes('IllegalArgumentException'));
      if (!isAboutKeys) throw error;
    }
  }
  // If the call was retried, the first attempt may have created the table.
  await ignoring(/TableExistsException/, gateways.call(createTable(name, families)));
  return keys.length === 0;
}

/** @returns the families that were missing, as `table:family` */
async function addMissing(gateways: Gateways, name: string, table: TableName): Promise<string[]> {
  const added: string[] = [];
  for (const family of familiesOf(table)) {
    try {
      await gateways.call(getMultiple(name, ['a'], { columns: [{ family }] }, lastCell()));
    } catch (error) {
      if (!(error instanceof GatewayFailure && error.message.includes('NoSuchColumnFamilyException'))) throw error;
      await gateways.call(addColumnFamily(name, describe(family)));
      added.push(`${name}:${family}`);
    }
  }
  return added;
}

function describe(name: string): FamilyDescriptor {
  return { name, compression: COMPRESSED.has(name) ? 'GZ' : 'NONE', encoding: 'FAST_DIFF' };
}

/** Returns the keys at which a table is split into parts of equal size. Empty for tables that are not split. */
function splitKeys(table: TableName, slots: number, splits: number): string[] {
  const { all } = slotsOf(slots);
  if (!Number.isSafeInteger(splits) || splits < 0 || splits >= slots) {
    throw new CrawlError('BAD_SETTING', `expected from 0 to ${slots - 1} splits of ${slots} slots, found ${splits}`);
  }
  const found = Array.from({ length: splits }, (_, i) => all[Math.floor(((i + 1) * slots) / (splits + 1))]!);
  return (SPLIT_TABLES[table] ?? []).flatMap((zone) => found.map((slot) => `${zone}${slot}`));
}

async function ignoring(message: RegExp, made: Promise<void>): Promise<void> {
  try {
    await made;
  } catch (error) {
    if (!(error instanceof GatewayFailure && message.test(error.message))) throw error;
  }
}
