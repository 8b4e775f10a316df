import { TYPES, type ReadValue, type ThriftValue } from './official-thrift.js';
import type { FakeCall, Reaction } from './fake-gateway.js';

type Struct = { readonly [id: number]: ReadValue };

interface Cell {
  readonly family: string;
  readonly qualifier: string;
  readonly value: Buffer;
  readonly tick: number;
}

/** A row: the newest cells by column, and the time up to which the row was deleted. */
interface Row {
  readonly cells: Map<string, Cell>;
  deleted: number;
}

const text = (value: ReadValue | undefined): string => (value as Buffer).toString('latin1');
const FILTER = /^(FamilyFilter|QualifierFilter)\((!?=),'(binary|binaryprefix):(.*)'\)$/s;

/**
 * The parts of HBase that the store uses, in memory: cells with timestamps, deletes that hide older cells in any order of arrival, and
 * errors for missing things.
 */
export class FakeHBase {
  readonly tables = new Map<string, { readonly families: Set<string>; readonly rows: Map<string, Row> }>();
  /** Milliseconds since the epoch. */
  clock: () => number = Date.now;

  /** Makes a call, as a gateway does. */
  readonly react = ({ method, args }: FakeCall): Reaction => {
    try {
      const perform = this.#methods[method];
      if (!perform) return { application: `Invalid method name: '${method}'`, type: 1 };
      return { value: perform(args) };
    } catch (error) {
      const { message } = error as Error;
      return message === 'Internal error' ? { application: message, type: 6 } : { io: message };
    }
  };

  readonly #methods: Readonly<Record<string, (args: Struct) => ThriftValue | undefined>> = {
    createNamespace: () => undefined,
    tableExists: (args) => ({ bool: this.tables.has(tableName(args[1]!)) }),
    createTable: (args) => {
      const { 1: name, 2: families } = args[1] as Struct;
      if (args[2] !== undefined) throw new Error('Internal error');
      const found = (families as Struct[]).map((family) => text(family[1]));
      this.tables.set(tableName(name!), { families: new Set(found), rows: new Map() });
      return undefined;
    },
    // Each table has one region.
    getAllRegionLocations: () => ({ list: [{ struct: [[2, { struct: [[3, { binary: '' }]] }]] }], of: TYPES.struct }),
    addColumnFamily: (args) => {
      this.#table(tableName(args[1]!)).families.add(text((args[2] as Struct)[1]));
      return undefined;
    },
    getMultiple: (args) => ({
      list: (args[2] as Struct[]).map((get) => this.#read(text(args[1]), text(get[1]), get[2], get[6])),
      of: TYPES.struct,
    }),
    getScannerResults: (args) => {
      const { 1: start, 2: stop, 3: columns, 7: filter } = args[2] as Struct;
      const { rows } = this.#table(text(args[1]));
      const from = start as Buffer;
      const to = stop as Buffer | undefined;
      const keys = [...rows.keys()].map((key) => Buffer.from(key, 'latin1')).sort((a, b) => Buffer.compare(a, b));
      const inRange = keys.filter((key) => {
        // A range with equal start and end means that one row.
        if (to && Buffer.compare(from, to) === 0) return key.equals(from);
        return Buffer.compare(key, from) >= 0 && !(to && to.length > 0 && Buffer.compare(key, to) >= 0);
      });
      const found = inRange.map((key) => this.#read(text(args[1]), text(key), columns, filter));
      const seen = found.filter((row) => 'struct' in row && row.struct[0]![0] === 1);
      return { list: seen.slice(0, args[3] as number), of: TYPES.struct };
    },
    putMultiple: (args) => {
      for (const put of args[2] as Struct[]) this.#put(text(args[1]), put);
      return undefined;
    },
    deleteMultiple: (args) => {
      for (const remove of args[2] as Struct[]) this.#delete(text(args[1]), remove);
      return { list: [], of: TYPES.struct };
    },
    mutateRow: (args) => {
      this.#mutate(text(args[1]), args[2] as Struct);
      return undefined;
    },
    checkAndMutate: (args) => {
      const isMade = this.#holds(args, args[6] as Buffer);
      if (isMade) this.#mutate(text(args[1]), args[7] as Struct);
      return { bool: isMade };
    },
    checkAndPut: (args) => {
      const isMade = this.#holds(args, (args[5] as Buffer | undefined) ?? Buffer.alloc(0));
      if (isMade) this.#put(text(args[1]), args[6] as Struct);
      return { bool: isMade };
    },
  };

  #table(name: string): { readonly families: Set<string>; readonly rows: Map<string, Row> } {
    const table = this.tables.get(name);
    if (!table) throw new Error(`org.apache.hadoop.hbase.TableNotFoundException: ${name}\n\tat a.trace(Of.java)`);
    return table;
  }

  #holds(args: Struct, expected: Buffer): boolean {
    const row = this.#table(text(args[1])).rows.get(text(args[2]));
    const cell =
      row && seen(row).find(({ family, qualifier }) => family === text(args[3]) && qualifier === text(args[4]));
    return Buffer.compare(cell?.value ?? Buffer.alloc(0), expected) === 0;
  }

  #mutate(table: string, { 2: mutations }: Struct): void {
    for (const mutation of mutations as Struct[]) {
      if (mutation[1] !== undefined) this.#put(table, mutation[1] as Struct);
      else this.#delete(table, mutation[2] as Struct);
    }
  }

  #put(name: string, { 1: key, 2: values, 3: tick }: Struct): void {
    const { families } = this.#table(name);
    if ((values as Struct[]).length === 0) throw new Error('Internal error');
    const row = this.#rowOf(name, text(key));
    for (const { 1: family, 2: qualifier, 3: value } of values as Struct[]) {
      if (!families.has(text(family))) throw noFamily(text(family), name);
      const cell = {
        family: text(family),
        qualifier: text(qualifier),
        value: Buffer.from(value as Buffer),
        tick: (tick as number | undefined) ?? this.clock(),
      };
      const column = `${cell.family}:${cell.qualifier}`;
      const before = row.cells.get(column);
      if (!before || before.tick <= cell.tick) row.cells.set(column, cell);
    }
  }

  #delete(name: string, { 1: key, 3: tick }: Struct): void {
    const row = this.#rowOf(name, text(key));
    row.deleted = Math.max(row.deleted, (tick as number | undefined) ?? this.clock());
  }

  #rowOf(name: string, key: string): Row {
    const { rows } = this.#table(name);
    let row = rows.get(key);
    if (!row) rows.set(key, (row = { cells: new Map(), deleted: 0 }));
    return row;
  }

  #read(name: string, key: string, columns: ReadValue | undefined, filter: ReadValue | undefined): ThriftValue {
    const { families, rows } = this.#table(name);
    const targets = (columns as Struct[] | undefined) ?? [];
    for (const target of targets) if (!families.has(text(target[1]))) throw noFamily(text(target[1]), name);
    const isAsked = ({ family, qualifier }: Cell): boolean =>
      targets.some(
        (target) => text(target[1]) === family && (target[2] === undefined || text(target[2]) === qualifier),
      );
    const passes = filter === undefined ? () => true : filterOf(text(filter));
    const row = rows.get(key);
    const cells = row ? seen(row).filter((cell) => isAsked(cell) && passes(cell)) : [];
    const list: ThriftValue = { list: cells.map(cellValue), of: TYPES.struct };
    if (cells.length === 0) return { struct: [[2, list]] };
    return {
      struct: [
        [1, { binary: Buffer.from(key, 'latin1') }],
        [2, list],
        [3, { bool: false }],
        [4, { bool: false }],
      ],
    };
  }
}

/** The cells that are not deleted, in order. */
function seen(row: Row): Cell[] {
  const order = ({ family, qualifier }: Cell): Buffer => Buffer.from(`${family}\0${qualifier}`, 'latin1');
  return [...row.cells]
    .map(([, cell]) => cell)
    .filter(({ tick }) => tick > row.deleted)
    .sort((a, b) => Buffer.compare(order(a), order(b)));
}

function cellValue({ family, qualifier, value, tick }: Cell): ThriftValue {
  return {
    struct: [
      [1, { binary: family }],
      [2, { binary: Buffer.from(qualifier, 'latin1') }],
      [3, { binary: value }],
      [4, { i64: tick }],
      [6, { byte: 4 }],
    ],
  };
}

/** Groups of tests in brackets, which must all be true, in the form that the store writes. */
function filterOf(filter: string): (cell: Cell) => boolean {
  const groups = filter.slice(1, -1).split(') AND (');
  const tests = groups.map((group) =>
    group.split(' OR ').map((test) => {
      const match = FILTER.exec(test);
      if (!match) throw new Error(`java.lang.IllegalArgumentException: ${test}`);
      const [, name, operator, comparator, quoted] = match;
      const value = quoted!.replaceAll("''", "'");
      return (cell: Cell): boolean => {
        const found = name === 'FamilyFilter' ? cell.family : cell.qualifier;
        return (comparator === 'binary' ? found === value : found.startsWith(value)) === (operator === '=');
      };
    }),
  );
  return (cell) => tests.every((group) => group.some((test) => test(cell)));
}

function tableName(value: ReadValue): string {
  const { 1: namespace, 2: name } = value as Struct;
  return `${text(namespace)}:${text(name)}`;
}

function noFamily(family: string, table: string): Error {
  const name = 'org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException';
  return new Error(`${name}: Column family ${family} does not exist in region ${table},,1`);
}
