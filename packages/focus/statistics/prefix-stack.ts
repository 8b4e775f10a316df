import { parameterKey } from './prefix-key.js';
import { addRow, addSums, newSums, rowsIn, type CountedRow, type Sums } from './sums.js';

interface PrefixBounds {
  /** A prefix with fewer rows has no node of its own. */
  readonly min: number;
  readonly depth: number;
}

interface PrefixStackOptions extends PrefixBounds {
  /** Called for each node with enough rows, after the nodes below it. The function may keep `sums`. */
  readonly onNode: (key: string, sums: Sums) => void;
}

/** An open prefix: later rows may still be below it. */
interface OpenPrefix {
  readonly key: string;
  /** Sums of the rows below this prefix, without those below another open prefix. */
  readonly sums: Sums;
  /** Parameters by name. If a parameter of a prefix below has too few rows, its rows are added here when that prefix is closed. */
  parameters?: Map<string, Parameter>;
}

interface Parameter {
  readonly sums: Sums;
  /** The number of the last row that was added. If the query of a row repeats the name, the row is counted only once. */
  lastRow: number;
}

/** A host with more names invents them, and only names of this host are dropped. */
const MAX_PARAMETERS = 10_000;
/** Longer names are no real names. */
const MAX_NAME_CHARACTERS = 100;

/**
 * Sums up rows by prefix. Row keys are sorted. Therefore only the prefixes of the present row are open, and a closed prefix is complete.
 * Memory holds the open prefixes, and at most {@link MAX_PARAMETERS} names of parameters.
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

  /** Closes the innermost prefix. If it has enough rows, it becomes a node. Its rows are always added to the prefix around it. */
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
        if (parameters >= MAX_PARAMETERS || name.length > MAX_NAME_CHARACTERS) {
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
    /** Adds a row. Its key must come after all earlier keys. */
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
      // The first open prefix is the host, so it does not count for the depth.
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

    end(): void {
      while (open.length > 0) leave();
    },

    /** Sums of the rows that are outside all open prefixes. After {@link end}, these are the sums of all rows. */
    total,
    /** Number of combinations of scheme, host and port with rows. */
    get origins() {
      return origins;
    },
    /** Number of parameters of rows that were not counted, because the name was too long or there were too many names. */
    get parametersOverLimit() {
      return parametersOverLimit;
    },
  };
}
