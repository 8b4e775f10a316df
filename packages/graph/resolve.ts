/** What a row is in the graph. */
export const KIND = {
  /** A page of which only links speak: never fetched, or tried again later. */
  known: 0,
  fetched: 1,
  /** Links to it lead nowhere. */
  gone: 2,
  /** It redirects, and is nothing else. */
  redirect: 3,
  /** It was fetched, and names another page as the one that counts: its canonical one, or where it refreshes to. */
  alternate: 4,
} as const;

/** No row. */
export const NONE = 2 ** 32 - 1;
const UNRESOLVED = NONE - 1;
const IN_PATH = NONE - 2;

/**
 * For each row the row for which it counts: itself, where its redirects and canonicals lead to in the end, or {@link NONE}.
 * That is so for a redirect that leads round in a circle, to a page that is gone, or to none; an alternate page counts for
 * itself then, and also where the other one was never fetched. What a row counts for always counts for itself.
 * @param next for each redirect and alternate the row that it names, or {@link NONE}; empty where none names any
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

/** Whether a row names another one. */
export function isAlias(kind: number): boolean {
  return kind === KIND.redirect || kind === KIND.alternate;
}

function endOf(row: number, kinds: Uint8Array, resolved: Uint32Array): number {
  if (row === NONE || resolved[row] === IN_PATH) return NONE;
  if (resolved[row] === UNRESOLVED) resolved[row] = kinds[row] === KIND.gone ? NONE : row;
  return resolved[row]!;
}
