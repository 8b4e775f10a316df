import { parameterKey } from './prefix-key.js';
import { addRow, addSums, newSums, rowsIn, type CountedRow, type Sums } from './sums.js';

/** Which nodes are made. */
export interface PrefixBounds {
  /** What has fewer rows is no node of its own. */
  readonly min: number;
  /** Names in a path, at most, that make a node. */
  readonly depth: number;
}

/** What a {@link createPrefixStack} is told. */
export interface PrefixStackOptions extends PrefixBounds {
  /** Takes each node with rows enough, after those below it. The sums are the caller's then. */
  readonly onNode: (key: string, sums: Sums) => void;
}

/** A prefix that rows to come may still be below. */
interface OpenPrefix {
  readonly key: string;
  /** Of the rows below it that are not below one that is open. */
  readonly sums: Sums;
  /** By name; those that were too small below it are added when these are left. */
  parameters?: Map<string, Parameter>;
}

interface Parameter {
  readonly sums: Sums;
  /** The last row that was added: one that names it twice is counted once. */
  lastRow: number;
}

/** Names that are held at a time. A host with more is one that makes them up, and it is only its own that are left out. */
const MOST_PARAMETERS = 10_000;
/** Characters of a name; what is longer is no name that anybody has given. */
const LONGEST_NAME = 100;

/**
 * Adds rows up by prefix. Row keys are sorted, so the prefixes of the row at hand are all that is open; one that is left is complete.
 * It holds these and at most {@link MOST_PARAMETERS} names of parameters.
 */
export function createPrefixStack({ min, depth, onNode }: PrefixStackOptions) {
  const open: OpenPrefix[] = [];
  const total = newSums();
  let row = 0;
  let parameters = 0;
  let origins = 0;
  let parametersOverLimit = 0;

  function push(key: string): OpenPrefix {
    const prefix: OpenPrefix = { key, sums: newSums() };
    open.push(prefix);
    return prefix;
  }

  /** Leaves the innermost prefix: it is a node where it has rows enough, and in any case part of the one around it. */
  function leave(): void {
    const { key, sums, parameters: named } = open.pop()!;
    const around = open.at(-1);
    if (named) leaveParameters(key, named, around);
    addSums(around?.sums ?? total, sums);
    if (rowsIn(sums) >= min) onNode(key, sums);
  }

  function leaveParameters(key: string, named: Map<string, Parameter>, around: OpenPrefix | undefined): void {
    for (const [name, parameter] of named) {
      const known = around?.parameters?.get(name);
      if (rowsIn(parameter.sums) >= min) {
        onNode(parameterKey(key, name), parameter.sums);
      } else if (known) {
        addSums(known.sums, parameter.sums);
      } else if (around) {
        (around.parameters ??= new Map<string, Parameter>()).set(name, parameter);
        continue;
      }
      parameters -= 1;
    }
  }

  function addParameters(prefix: OpenPrefix, query: string, counted: CountedRow): void {
    const named = (prefix.parameters ??= new Map<string, Parameter>());
    for (let start = 0; start < query.length;) {
      let end = query.indexOf('&', start);
      if (end === -1) end = query.length;
      const part = query.slice(start, end);
      const equals = part.indexOf('=');
      const name = equals === -1 ? part : part.slice(0, equals);
      start = end + 1;
      if (name === '') continue;
      let parameter = named.get(name);
      if (!parameter) {
        if (parameters >= MOST_PARAMETERS || name.length > LONGEST_NAME) {
          parametersOverLimit += 1;
          continue;
        }
        parameters += 1;
        parameter = { sums: newSums(), lastRow: 0 };
        named.set(name, parameter);
      }
      if (parameter.lastRow !== row) addRow(parameter.sums, counted);
      parameter.lastRow = row;
    }
  }

  return {
    /** Adds a row, whose key comes after those before. */
    add(counted: CountedRow): void {
      const { key } = counted;
      row += 1;
      while (open.length > 0 && !key.startsWith(open.at(-1)!.key)) leave();
      let innermost = open.at(-1);
      if (!innermost) {
        innermost = push(key.slice(0, key.indexOf('/') + 1));
        origins += 1;
      }
      const query = key.indexOf('?');
      const pathEnd = query === -1 ? key.length : query;
      // The first one that is open is the host, which is no name of a path.
      while (open.length <= depth && innermost.key.length < pathEnd) {
        const slash = key.indexOf('/', innermost.key.length);
        if (slash === -1 || slash >= pathEnd) break;
        innermost = push(key.slice(0, slash + 1));
      }
      if (query !== -1) {
        if (open.length <= depth && innermost.key.length <= query) innermost = push(key.slice(0, query + 1));
        addParameters(innermost, key.slice(query + 1), counted);
      }
      addRow(innermost.sums, counted);
    },

    /** Leaves all that is open. */
    end(): void {
      while (open.length > 0) leave();
    },

    /** Of all rows that are below no open prefix; after {@link end} of all. */
    total,
    /** Schemes, hosts and ports that had a row. */
    get origins() {
      return origins;
    },
    /** So often a row was not counted for a parameter of its query. */
    get parametersOverLimit() {
      return parametersOverLimit;
    },
  };
}
