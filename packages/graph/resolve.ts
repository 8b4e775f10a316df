import { NONE } from '../scan/index.js';

export const KIND = {
  /** A page that is known only from links: it was never fetched, or will be retried. */
  known: 0,
  fetched: 1,
  /** A page that is gone. Links to it are not edges. */
  gone: 2,
  redirect: 3,
  /** A fetched page that names another page in its place: its canonical page, or the target of its refresh. */
  alternate: 4,
} as const;

const UNRESOLVED = NONE - 1;
const IN_PATH = NONE - 2;

/**
 * Finds for each row the row for which it counts. This is the row itself, the last target of its redirects and canonicals, or {@link NONE}.
 * A redirect gets NONE if it leads into a loop, to a page that is gone, or to no row. An alternate page counts for itself in these cases,
 * and also if the page that it names was never fetched. If other rows count for a row, this row counts for itself.
 * @param next for each redirect and alternate the row that it names, or {@link NONE}; empty if there are none
 */
export function resolveRows(kinds: Uint8Array, next: Uint32Array): Uint32Array {
  const resolved = new Uint32Array(kinds.length).fill(UNRESOLVED);
  const path: number[] = [];
  for (let first = 0; first < kinds.length; first++) {
    if (resolved[first] !== UNRESOLVED) continue;
    let row = first;
    while (row !== NONE && resolved[row] === UNRESOLVED && isAlias(kinds[row]!)) {
      resolved[row] = IN_PATH;
      path.push(row);
      row = next[row] ?? NONE;
    }
    let result = endOf(row, kinds, resolved);
    for (let alias = path.pop(); alias !== undefined; alias = path.pop()) {
      const isAlternate = kinds[alias] === KIND.alternate;
      if (isAlternate && (result === NONE || kinds[result] === KIND.known)) result = alias;
      resolved[alias] = result;
    }
  }
  return resolved;
}

export function isAlias(kind: number): boolean {
  return kind === KIND.redirect || kind === KIND.alternate;
}

function endOf(row: number, kinds: Uint8Array, resolved: Uint32Array): number {
  if (row === NONE || resolved[row] === IN_PATH) return NONE;
  if (resolved[row] === UNRESOLVED) resolved[row] = kinds[row] === KIND.gone ? NONE : row;
  return resolved[row]!;
}
