import {
  splitColumn,
  type CheckedChange,
  type TableName,
  type RowChange,
  type VersionedChange,
} from '../core/index.js';
import { lacksRecord, planChange, planUnchanged, TICKS_OF_CHANGE, withRecords, type PlannedChange } from './changes.js';
import type { Gateways } from './gateway/gateways.js';
import { createOneByOne, inParallel } from '../util/index.js';
import {
  encodeValue,
  familiesOf,
  HIDDEN,
  RECORD_QUALIFIER,
  recordFamily,
  VERSION_QUALIFIER,
  versionFamily,
} from './layout.js';
import {
  checkAndMutate,
  checkAndPut,
  deleteMultiple,
  getMultiple,
  mutateRow,
  putMultiple,
  type Cell,
  type Mutation,
} from './requests.js';
import type { Call } from './thrift/messages.js';
import type { RowDecoder } from './thrift/read-rows.js';
import type { Ticks } from './ticks.js';

const MOST_ROWS = 500;
/**
 * Maximum bytes of one call. A call is a frame, and by default gateways accept frames of two million bytes
 * (`hbase.regionserver.thrift.framed.max_frame_size_in_mb`). A larger row is sent alone in one call.
 */
const MOST_BYTES = 1_750_000;
/** Maximum number of simultaneous calls of one write: batches, and changes of single rows. */
const BATCHES_AT_ONCE = 2;
const ROWS_AT_ONCE = 32;

/** Writes rows. The caller must have checked the changes. */
export interface Writes {
  /** Writes changes. The ticks are taken synchronously, so that writes are in the order of the calls. */
  write(table: TableName, name: string, changes: readonly RowChange[]): Promise<void>;
  /** @returns for each change whether it was made */
  compareAndSet(table: TableName, name: string, changes: readonly CheckedChange[]): Promise<boolean[]>;
  /** @returns for each change whether it was made */
  writeUnchanged(table: TableName, name: string, changes: readonly VersionedChange[]): Promise<boolean[]>;
}

export function createWrites(gateways: Gateways, ticks: Ticks): Writes {
  const oneByOne = createOneByOne();
  /** Number of writes that read records first. */
  let merging = 0;

  async function send(name: string, batch: readonly PlannedChange[]): Promise<void> {
    const [first] = batch;
    if (first?.kind === 'put') {
      const puts = batch.filter((change) => change.kind === 'put');
      await gateways.call(
        putMultiple(
          name,
          puts,
          puts.reduce((size, put) => size + put.size, 0),
        ),
      );
    } else if (first?.kind === 'clear') {
      await gateways.call(
        deleteMultiple(
          name,
          batch.filter((change) => change.kind === 'clear'),
        ),
      );
    } else {
      const rows = batch.filter((change) => change.kind === 'mutate');
      await inParallel(rows, ROWS_AT_ONCE, ({ key, mutations, size }) =>
        gateways.call(mutateRow(name, key, mutations, size)),
      );
    }
  }

  /** Returns the version cell of a row that has no visible cells; undefined for a row that has visible cells. */
  async function leftVersion(table: TableName, name: string, key: string): Promise<Buffer | undefined> {
    const columns = familiesOf(table).map((family) => ({ family }));
    const [row] = await gateways.call(getMultiple(name, [key], { columns }, hiddenRow()));
    return row?.isSeen ? undefined : row?.version;
  }

  async function recordsOf(table: TableName, name: string, keys: readonly string[]) {
    const family = recordFamily(table);
    if (family === undefined || keys.length === 0) return new Map<string, Buffer | undefined>();
    const distinct = [...new Set(keys)];
    const columns = [{ family, qualifier: RECORD_QUALIFIER }];
    const found = await gateways.call(getMultiple(name, distinct, { columns }, oneCell()));
    return new Map(distinct.map((key, i) => [key, found[i]]));
  }

  /** The present version cell of a row. */
  async function versionNow(table: TableName, name: string, key: string): Promise<Buffer | undefined> {
    const columns = [{ family: versionFamily(table), qualifier: VERSION_QUALIFIER }];
    const [row] = await gateways.call(getMultiple(name, [key], { columns }, hiddenRow()));
    return row?.version;
  }

  /** Makes the change if the version cell is as expected. If `expected` is empty, the row must have no version. */
  async function changeIf(table: TableName, name: string, change: RowChange, expected: Buffer): Promise<boolean> {
    const tick = ticks.take(TICKS_OF_CHANGE);
    const { mutations, size } = planUnchanged(table, change, tick, ticks, ticks.tickOf(expected));
    const check = { family: versionFamily(table), qualifier: VERSION_QUALIFIER, value: expected };
    let isAgain = false;
    const call = callOf(name, change.key, check, mutations, size);
    if (await gateways.call(call, () => (isAgain = true))) return true;
    // If the call was retried, the first attempt may have succeeded, and only its answer was lost. So the version is compared.
    return isAgain && (await versionNow(table, name, change.key))?.equals(ticks.versionCell(tick + 1)) === true;
  }

  return {
    async write(table, name, changes) {
      const sendAll = (all: readonly RowChange[]): Promise<void> => {
        const first = ticks.take(all.length * TICKS_OF_CHANGE);
        return inParallel(batches(table, all, first, ticks), BATCHES_AT_ONCE, (batch) => send(name, batch));
      };
      const lacking = changes.filter((change) => lacksRecord(table, change)).map(({ key }) => key);
      if (lacking.length === 0 && merging === 0) return sendAll(withRecords(table, changes, new Map()));
      // Other writes of this process wait until the records are written that this one has read.
      merging += 1;
      await oneByOne(async () =>
        sendAll(withRecords(table, changes, await recordsOf(table, name, lacking))).finally(() => (merging -= 1)),
      );
    },

    async compareAndSet(table, name, changes) {
      const isMade = changes.map(() => false);
      await inParallel(changes.entries(), ROWS_AT_ONCE, async ([i, { change, column, value }]) => {
        const { mutations, size } = planUnchanged(table, change, ticks.take(TICKS_OF_CHANGE), ticks, undefined);
        const [family, qualifier = ''] = splitColumn(column);
        const check = { family, qualifier, value: value ? encodeValue(value) : NOTHING };
        let isAgain = false;
        const call = callOf(name, change.key, check, mutations, size);
        isMade[i] = await gateways.call(call, () => (isAgain = true));
        // If the call was retried, the first attempt may have succeeded, and only its response was lost. So the value is compared.
        if (isMade[i] || !isAgain) return;
        const [now] = await gateways.call(
          getMultiple(name, [change.key], { columns: [{ family, qualifier }] }, oneCell()),
        );
        const put = change.put?.get(column);
        isMade[i] = Buffer.compare(now ?? NOTHING, put ? encodeValue(put) : NOTHING) === 0;
      });
      return isMade;
    },

    async writeUnchanged(table, name, versioned) {
      const isMade = versioned.map(() => false);
      const plain = versioned.map(({ change }) => change);
      const lacking = plain.filter((change) => lacksRecord(table, change)).map(({ key }) => key);
      const changes = withRecords(table, plain, await recordsOf(table, name, lacking));
      await inParallel(changes.entries(), ROWS_AT_ONCE, async ([i, change]) => {
        const { version } = versioned[i]!;
        const expected = version === undefined ? Buffer.alloc(0) : ticks.cellOf(version);
        isMade[i] = await changeIf(table, name, change, expected);
        if (isMade[i] || version !== undefined) return;
        // A row that readers do not see may still have a version.
        const left = await leftVersion(table, name, change.key);
        if (!left) return;
        ticks.versionOf(left);
        isMade[i] = await changeIf(table, name, change, left);
      });
      return isMade;
    },
  };
}

/** The call that changes a row if a cell is as expected. An empty value means that the cell must not exist. */
function callOf(name: string, key: string, check: Cell, mutations: readonly Mutation[], size: number): Call<boolean> {
  const [first] = mutations;
  return mutations.length === 1 && first?.kind === 'put'
    ? checkAndPut(name, key, check, first, size)
    : checkAndMutate(name, key, check, mutations, size);
}

/** Groups changes in batches of one kind. The order of the batches does not matter, because the ticks define the order of changes. */
function* batches(
  table: TableName,
  changes: readonly RowChange[],
  firstTick: number,
  ticks: Ticks,
): Generator<readonly PlannedChange[]> {
  const open = new Map<PlannedChange['kind'], { batch: PlannedChange[]; bytes: number }>();
  for (const [i, change] of changes.entries()) {
    const planned = planChange(table, change, firstTick + i * TICKS_OF_CHANGE, ticks);
    const group = open.get(planned.kind);
    if (group && group.batch.length < MOST_ROWS && group.bytes + planned.size <= MOST_BYTES) {
      group.batch.push(planned);
      group.bytes += planned.size;
      continue;
    }
    if (group) yield group.batch;
    open.set(planned.kind, { batch: [planned], bytes: planned.size });
  }
  for (const { batch } of open.values()) yield batch;
}

const NOTHING = new Uint8Array(0);

/** The value of the only cell of a row. */
function oneCell(): RowDecoder<Buffer | undefined> {
  let found: Buffer | undefined;
  return {
    begin: () => void (found = undefined),
    cell: (_family, _qualifier, value) => void (found = value),
    end: () => found,
  };
}

interface HiddenRow {
  /** Whether readers see any cell of the row. */
  readonly isSeen: boolean;
  readonly version: Buffer | undefined;
}

function hiddenRow(): RowDecoder<HiddenRow> {
  let row: { isSeen: boolean; version: Buffer | undefined };
  return {
    begin() {
      row = { isSeen: false, version: undefined };
    },
    cell(_family, qualifier, value) {
      if (qualifier[0] !== HIDDEN) row.isSeen ||= value.length > 0;
      else if (qualifier.toString('latin1') === VERSION_QUALIFIER) row.version = value;
    },
    end: () => row,
  };
}
