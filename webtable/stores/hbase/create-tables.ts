import { CrawlError } from '../../../packages/errors/index.js';
import { slotsOf } from '../../keys/partition.js';
import { TABLES, type TableName } from '../../schema.js';
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

/** What `createHBaseTables` did. */
export interface CreatedTables {
  /** By the names they have in HBase. */
  readonly created: readonly string[];
  /** Those that were there, with all their families. */
  readonly existing: readonly string[];
  /** Those to which families were added, as `table:family`. */
  readonly added: readonly string[];
  /** Lines for the HBase shell that do what the gateway could not: split tables. */
  readonly shellLines: readonly string[];
}

/** How tables are made. */
export interface CreateTablesOptions {
  /** How many slots the table of the crawl will have. */
  readonly slots: number;
  /** At how many keys the tables of indexes are split at once; 0: HBase splits them as they grow. */
  readonly splits?: number;
  readonly times?: GatewayTimes;
}

/** What the keys begin with, before a slot, of the tables that are split: in `batch` those of the rows that batches hold. */
const SPLIT_TABLES: Partial<Record<TableName, string>> = { frontier: '', batch: 'e' };
/** Families that are large, and read seldom. */
const COMPRESSED = new Set(['l', 'p', 'c']);

/**
 * Makes the tables that a URL names, and the families that are missing of those that are there. It may be run again at any time.
 * @throws CrawlError BAD_SETTING, STORE_DENIED with the lines for an operator in `details`, STORE_AWAY, STORE_FAILED
 */
export async function createHBaseTables(
  url: string,
  { slots, splits = 0, times = GATEWAY_TIMES }: CreateTablesOptions,
): Promise<CreatedTables> {
  const address = parseHBaseAddress(url);
  // Wrong numbers are refused before anybody is asked.
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

/** Lines for the HBase shell that make all tables, for who may not make them by a gateway. */
export function shellLinesOf(address: HBaseAddress, { slots, splits = 0 }: CreateTablesOptions): string[] {
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
 * @returns false where it was made, and could not be split
 * @throws GatewayFailure
 */
async function create(gateways: Gateways, name: string, table: TableName, keys: readonly string[]): Promise<boolean> {
  const families = familiesOf(table).map(describe);
  // Gateways that fail at split keys take the frame of the call for each of them: two are alike, which is refused; one would be
  // taken.
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
  // A call that is made again finds what the first one made.
  await ignoring(/TableExistsException/, gateways.call(createTable(name, families)));
  return keys.length === 0;
}

/** @returns those that were missing, as `table:family` */
async function addMissing(gateways: Gateways, name: string, table: TableName): Promise<string[]> {
  const added: string[] = [];
  for (const family of familiesOf(table)) {
    const decoder = { begin() {}, cell() {}, end() {} };
    try {
      await gateways.call(getMultiple(name, ['a'], { columns: [{ family }] }, decoder));
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

/** Slots at which a table is cut into parts of equal size; none for a table that is not. */
function splitKeys(table: TableName, slots: number, splits: number): string[] {
  const { all } = slotsOf(slots);
  if (!Number.isSafeInteger(splits) || splits < 0 || splits >= slots) {
    throw new CrawlError('BAD_SETTING', `expected from 0 to ${slots - 1} splits of ${slots} slots, found ${splits}`);
  }
  const zone = SPLIT_TABLES[table];
  if (zone === undefined) return [];
  return Array.from({ length: splits }, (_, i) => `${zone}${all[Math.floor(((i + 1) * slots) / (splits + 1))]!}`);
}

async function ignoring(message: RegExp, made: Promise<void>): Promise<void> {
  try {
    await made;
  } catch (error) {
    if (!(error instanceof GatewayFailure && message.test(error.message))) throw error;
  }
}
