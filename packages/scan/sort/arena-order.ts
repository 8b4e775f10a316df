import { sortSteps, type Steps } from '../../util/index.js';
import { sortWords } from './sort-words.js';

/** Consecutive records. Record `i` begins at `ends[i - 1]`, the first one at 0, and ends at `ends[i]`. */
interface Arena {
  readonly bytes: Buffer;
  readonly ends: Uint32Array;
  readonly count: number;
}

/**
 * Maximum number of records in an arena. A 64-bit word contains five bytes of a record, and the number of the record in the remaining bits.
 */
export const MAX_RECORDS = 2 ** 24;

const BYTES_IN_WORD = 5;
const MAX_DIRECT_RECORDS = 4;

const RECORDS_PER_STEP = 2 ** 15;

/**
 * Returns the numbers of the records in byte order. Equal records keep their order. It works in steps of some milliseconds. First it sorts
 * words, each made of five bytes of a record and the record's number. Then it sorts records with equal words by the bytes after their
 * common prefix.
 */
export function* orderOf(arena: Arena): Steps<Uint32Array> {
  const order = new Uint32Array(arena.count);
  for (let i = 0; i < order.length; i++) order[i] = i;
  const pending: [from: number, to: number, depth: number][] = [[0, arena.count, 0]];
  let looked = 0;
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [from, to, depth] = next;
    looked += to - from;
    if (looked > RECORDS_PER_STEP) {
      looked = 0;
      yield;
    }
    const isLarge = to - from > RECORDS_PER_STEP;
    const found = firstOf(arena, order[from]!);
    if (isLarge) yield* narrowAll(arena, order.subarray(from + 1, to), depth, found);
    else if (to - from > MAX_DIRECT_RECORDS) narrow(arena, order.subarray(from + 1, to), depth, found);
    const { same } = found;
    if (to - from <= MAX_DIRECT_RECORDS || found.shortest <= same) {
      // A record that ends within the last word was padded with zeros, so the bytes of this word must be compared again.
      yield* compareBetween(arena, order, from, to, Math.max(0, depth - BYTES_IN_WORD));
      continue;
    }
    const words = new BigUint64Array(to - from);
    const halves = new Uint32Array(words.buffer);
    if (isLarge) yield* sortLarge(arena, order.subarray(from, to), words, same);
    else {
      fillWords(arena, order.subarray(from, to), halves, 0, same);
      words.sort();
      permute(order.subarray(from, to), order.slice(from, to), halves);
    }
    for (let begin = 0, i = 1, count = to - from; i <= count; i++) {
      if (i % RECORDS_PER_STEP === 0) yield;
      if (i < count && isSameWord(halves, begin, i)) continue;
      if (i - begin > 1) pending.push([from + begin, from + i, same + BYTES_IN_WORD]);
      begin = i;
    }
  }
  return order;
}

/** Sorts records by five bytes from `depth` on. At the end, `words` has the sorted words. */
function* sortLarge(arena: Arena, records: Uint32Array, words: BigUint64Array, depth: number): Steps<void> {
  const halves = new Uint32Array(words.buffer);
  for (let at = 0; at < records.length; at += RECORDS_PER_STEP) {
    fillWords(arena, records.subarray(at, at + RECORDS_PER_STEP), halves, at, depth);
    yield;
  }
  yield* sortWords(words);
  const before = records.slice();
  for (let at = 0; at < records.length; at += RECORDS_PER_STEP) {
    permute(records.subarray(at, at + RECORDS_PER_STEP), before, halves.subarray(2 * at));
    yield;
  }
}

function permute(records: Uint32Array, before: Uint32Array, halves: Uint32Array): void {
  for (let i = 0; i < records.length; i++) records[i] = before[halves[2 * i]! & 0xff_ffff]!;
}

/** @param number position of the first of these records in its range */
function fillWords(
  { bytes, ends }: Arena,
  records: Uint32Array,
  halves: Uint32Array,
  number: number,
  depth: number,
): void {
  for (let i = 0, at = 2 * number; i < records.length; i++, at += 2) {
    const end = ends[records[i]!]!;
    const start = startOf(ends, records[i]!) + depth;
    const byte = (n: number): number => (start + n < end ? bytes[start + n]! : 0);
    halves[at + 1] = (byte(0) << 24) | (byte(1) << 16) | (byte(2) << 8) | byte(3);
    halves[at] = (byte(4) << 24) | (number + i);
  }
}

function isSameWord(halves: Uint32Array, a: number, b: number): boolean {
  return halves[2 * a + 1] === halves[2 * b + 1] && halves[2 * a]! >>> 24 === halves[2 * b]! >>> 24;
}

interface Common {
  readonly first: number;
  /** Number of bytes that are known to be equal in all records. */
  same: number;
  /** Length of the shortest record in bytes. */
  shortest: number;
}

function firstOf({ ends }: Arena, first: number): Common {
  const length = ends[first]! - startOf(ends, first);
  return { first, same: length, shortest: length };
}

function* narrowAll(arena: Arena, records: Uint32Array, depth: number, found: Common): Steps<void> {
  for (let at = 0; at < records.length; at += RECORDS_PER_STEP) {
    narrow(arena, records.subarray(at, at + RECORDS_PER_STEP), depth, found);
    yield;
  }
}

function narrow({ bytes, ends }: Arena, records: Uint32Array, depth: number, found: Common): void {
  const start = startOf(ends, found.first);
  let { same, shortest } = found;
  for (let i = 0; i < records.length; i++) {
    const record = records[i]!;
    const other = startOf(ends, record);
    const length = ends[record]! - other;
    shortest = Math.min(shortest, length);
    const most = Math.min(same, length);
    same = Math.min(depth, most);
    while (same < most && bytes[start + same] === bytes[other + same]) same += 1;
  }
  found.same = same;
  found.shortest = shortest;
}

function* compareBetween(
  { bytes, ends }: Arena,
  order: Uint32Array,
  from: number,
  to: number,
  depth: number,
): Steps<void> {
  const compare = (a: number, b: number): number =>
    bytes.compare(bytes, startOf(ends, b) + depth, ends[b], startOf(ends, a) + depth, ends[a]) || a - b;
  const records = order.subarray(from, to);
  if (records.length <= RECORDS_PER_STEP) records.sort(compare);
  else order.set(yield* sortSteps([...records], compare), from);
}

function startOf(ends: Uint32Array, record: number): number {
  return record === 0 ? 0 : ends[record - 1]!;
}
