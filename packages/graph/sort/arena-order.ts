/** Records one behind the other: record `i` is from `ends[i - 1]` (the first from 0) to `ends[i]`. */
export interface Arena {
  readonly bytes: Buffer;
  readonly ends: Uint32Array;
  readonly count: number;
}

/** The most records of an arena: what is left of a 64-bit word beside five bytes of a record. */
export const MOST_RECORDS = 2 ** 24;

/** Bytes of a record in a word. */
const IN_WORD = 5;
/** So few are compared with each other. */
const FEW = 4;

/**
 * The numbers of the records in byte order, equal ones as they came. Words of five bytes of a record and its number are
 * sorted, by the native sort of typed arrays; then those of equal words, by the bytes after what they have in common.
 */
export function orderOf(arena: Arena): Uint32Array {
  const order = Uint32Array.from({ length: arena.count }, (_, i) => i);
  const pending: [from: number, to: number, depth: number][] = [[0, arena.count, 0]];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [from, to, depth] = next;
    const same = to - from <= FEW ? undefined : sameBytes(arena, order, from, to, depth);
    if (same === undefined) {
      // One that ended within the last word was filled up with zeros there, so that word is compared again.
      compareBetween(arena, order, from, to, Math.max(0, depth - IN_WORD));
      continue;
    }
    const halves = sortByWord(arena, order, from, to, same);
    for (let begin = 0, i = 1, count = to - from; i <= count; i++) {
      if (i < count && isSameWord(halves, begin, i)) continue;
      if (i - begin > 1) pending.push([from + begin, from + i, same + IN_WORD]);
      begin = i;
    }
  }
  return order;
}

/** Puts `order[from..to]` in order of five bytes from `depth` on, and returns the words by which that was done, in halves. */
function sortByWord({ bytes, ends }: Arena, order: Uint32Array, from: number, to: number, depth: number): Uint32Array {
  const words = new BigUint64Array(to - from);
  const halves = new Uint32Array(words.buffer);
  for (let i = from, at = 0; i < to; i++, at += 2) {
    const end = ends[order[i]!]!;
    const start = startOf(ends, order[i]!) + depth;
    const byte = (n: number): number => (start + n < end ? bytes[start + n]! : 0);
    halves[at + 1] = (byte(0) << 24) | (byte(1) << 16) | (byte(2) << 8) | byte(3);
    halves[at] = (byte(4) << 24) | (i - from);
  }
  words.sort();
  const before = order.slice(from, to);
  for (let i = 0; i < words.length; i++) order[from + i] = before[halves[2 * i]! & 0xff_ffff]!;
  return halves;
}

function isSameWord(halves: Uint32Array, a: number, b: number): boolean {
  return halves[2 * a + 1] === halves[2 * b + 1] && halves[2 * a]! >>> 24 === halves[2 * b]! >>> 24;
}

/** In how many bytes all are the same; undefined where one ends within these, so that more would not tell them apart. */
function sameBytes(
  { bytes, ends }: Arena,
  order: Uint32Array,
  from: number,
  to: number,
  depth: number,
): number | undefined {
  const start = startOf(ends, order[from]!);
  let same = ends[order[from]!]! - start;
  let shortest = same;
  for (let i = from + 1; i < to; i++) {
    const other = startOf(ends, order[i]!);
    const length = ends[order[i]!]! - other;
    shortest = Math.min(shortest, length);
    const most = Math.min(same, length);
    same = Math.min(depth, most);
    while (same < most && bytes[start + same] === bytes[other + same]) same += 1;
  }
  return shortest <= same ? undefined : same;
}

function compareBetween({ bytes, ends }: Arena, order: Uint32Array, from: number, to: number, depth: number): void {
  const compare = (a: number, b: number): number =>
    bytes.compare(bytes, startOf(ends, b) + depth, ends[b], startOf(ends, a) + depth, ends[a]) || a - b;
  order.subarray(from, to).sort(compare);
}

function startOf(ends: Uint32Array, record: number): number {
  return record === 0 ? 0 : ends[record - 1]!;
}
