import { type CheckedChange, type TableName, type RowChange } from '../core/index.js';
import { createOneByOne, inParallel, pause } from '../util/index.js';
import { lacksRecord, planChange, targetOf, withRecords, type PlannedChange } from './changes.js';
import type { Gateways } from './gateway/gateways.js';
import { columnsOf, encodeValue, familiesOf, RECORD_QUALIFIER, recordFamily } from './layout.js';
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
import { lastCell, type RowDecoder } from './thrift/read-rows.js';

const MAX_ROWS = 500;
/**
 * Maximum bytes of one call. A call is a frame, and by default gateways accept frames of two million bytes
 * (`hbase.regionserver.thrift.framed.max_frame_size_in_mb`). A larger row is sent alone in one call.
 */
const MAX_BYTES = 1_750_000;
/** Maximum number of simultaneous calls of one write: batches, and changes of single rows. */
const BATCHES_AT_ONCE = 2;
const ROWS_AT_ONCE = 32;
/**
 * Milliseconds after a deletion by the time of the server, which is in whole milliseconds. A deletion hides what is put in the same
 * millisecond.
 */
const DELETION_MS = 2;

/** Writes rows. The caller must have checked the changes. */
export type Writes = ReturnType<typeof createWrites>;

export function createWrites(gateways: Gateways) {
  const oneByOne = createOneByOne();

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

  async function recordsOf(table: TableName, name: string, keys: readonly string[]) {
    const family = recordFamily(table);
    if (family === undefined || keys.length === 0) return new Map<string, Buffer | undefined>();
    const distinct = [...new Set(keys)];
    const columns = [{ family, qualifier: RECORD_QUALIFIER }];
    const found = await gateways.call(getMultiple(name, distinct, { columns }, lastCell()));
    return new Map(distinct.map((key, i) => [key, found[i]?.value]));
  }

  /**
   * Returns a change that clears a row as one that replaces each of its cells. A deletion and a put of one call would have the same time of
   * the server, so the put would not be visible.
   */
  async function withoutClear(table: TableName, name: string, change: RowChange): Promise<RowChange> {
    if (!change.clear || change.at !== undefined || !change.put?.size || columnsOf(table)) return change;
    const columns = familiesOf(table).map((family) => ({ family }));
    const [found = []] = await gateways.call(getMultiple(name, [change.key], { columns }, columnsOfRow()));
    const { clear: _, ...rest } = change;
    return { ...rest, delete: found, record: null };
  }

  /** Writes at most one change of each row. */
  async function writeRound(table: TableName, name: string, round: readonly RowChange[]): Promise<void> {
    const changes: RowChange[] = [];
    for (const change of round) changes.push(await withoutClear(table, name, change));
    const lacking = changes.filter((change) => lacksRecord(table, change)).map(({ key }) => key);
    const complete = withRecords(table, changes, await recordsOf(table, name, lacking));
    await inParallel(batches(table, complete), BATCHES_AT_ONCE, (batch) => send(name, batch));
    if (changes.some(({ clear, at }) => clear && at === undefined)) await pause(DELETION_MS);
  }

  return {
    write: (table: TableName, name: string, changes: readonly RowChange[]): Promise<void> =>
      // Changes with timestamps may arrive in any order. A change without one, or without its record, depends on the earlier ones.
      changes.every((change) => change.at !== undefined && !lacksRecord(table, change))
        ? inParallel(batches(table, withRecords(table, changes, new Map())), BATCHES_AT_ONCE, (batch) =>
            send(name, batch),
          )
        : oneByOne(async () => {
            for (const round of roundsOf(changes)) await writeRound(table, name, round);
          }),

    /** @returns for each change whether it was made */
    async compareAndSet(table: TableName, name: string, changes: readonly CheckedChange[]): Promise<boolean[]> {
      const isMade = changes.map(() => false);
      await inParallel(changes.entries(), ROWS_AT_ONCE, async ([i, { change, column, value, at: readAt }]) => {
        const target = targetOf(column);
        const now = async () =>
          (await gateways.call(getMultiple(name, [change.key], { columns: [target] }, lastCell())))[0];
        // A removed cell has a timestamp too. The time of the server would be lower if the clock of an earlier server was ahead.
        const at = readAt ?? (await now())?.at;
        const put = change.put?.get(column);
        const records = lacksRecord(table, change)
          ? await recordsOf(table, name, [change.key])
          : new Map<string, Buffer>();
        const [whole] = withRecords(table, [{ ...change, at }], records);
        const mutations = checkedMutations(table, whole!, target);
        const check = { ...target, value: value ? encodeValue(value) : NOTHING };
        let isAgain = false;
        isMade[i] = await gateways.call(callOf(name, change.key, check, mutations), () => (isAgain = true));
        // If the call was retried, the first attempt may have succeeded, and only its response was lost. So the value is compared.
        if (isMade[i] || !isAgain) return;
        isMade[i] = Buffer.compare((await now())?.value ?? NOTHING, put ? encodeValue(put) : NOTHING) === 0;
      });
      return isMade;
    },
  };
}

/** Plans a checked change. A removed cell stays as an empty one, so that its timestamp can be read. */
function checkedMutations(
  table: TableName,
  change: RowChange,
  target: Required<Cell> | Omit<Cell, 'value'>,
): Mutation[] {
  const { at, clear } = change;
  const planned = planChange(table, { ...change, clear: false });
  const cells = planned.kind === 'put' ? [...planned.cells] : [];
  const isPut = cells.some(({ family, qualifier }) => family === target.family && qualifier === target.qualifier);
  if (clear && !isPut) cells.push({ ...target, value: NOTHING });
  const put: Mutation = { kind: 'put', cells, at: at === undefined ? undefined : at + 1 };
  return clear && at !== undefined ? [{ kind: 'delete', at }, put] : [put];
}

/** The call that changes a row if a cell is as expected. An empty value means that the cell must not exist. */
function callOf(name: string, key: string, check: Cell, mutations: readonly Mutation[]): Call<boolean> {
  const [first] = mutations;
  return mutations.length === 1 && first?.kind === 'put'
    ? checkAndPut(name, key, check, first)
    : checkAndMutate(name, key, check, mutations);
}

/** Splits changes into groups with at most one change of each row. */
function roundsOf(changes: readonly RowChange[]): readonly (readonly RowChange[])[] {
  const rounds: RowChange[][] = [];
  const seen = new Map<string, number>();
  for (const change of changes) {
    const round = seen.get(change.key) ?? 0;
    seen.set(change.key, round + 1);
    (rounds[round] ??= []).push(change);
  }
  return rounds;
}

/** Groups changes in batches of one kind. HBase refuses a put without cells, and there is nothing to put. */
function* batches(table: TableName, changes: readonly RowChange[]): Generator<readonly PlannedChange[]> {
  const open = new Map<PlannedChange['kind'], { batch: PlannedChange[]; bytes: number }>();
  for (const change of changes) {
    const planned = planChange(table, change);
    if (planned.kind === 'put' && planned.cells.length === 0) continue;
    const group = open.get(planned.kind);
    if (group && group.batch.length < MAX_ROWS && group.bytes + planned.size <= MAX_BYTES) {
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

function columnsOfRow(): RowDecoder<`${string}:${string}`[]> {
  let found: `${string}:${string}`[] = [];
  return {
    begin: () => void (found = []),
    cell: (family, qualifier) => void found.push(`${family}:${qualifier.toString('latin1')}`),
    end: () => found,
  };
}
