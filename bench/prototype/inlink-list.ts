/** Numbers in an entry. */
const WIDTH = 5;

/** The links of a round in flat arrays: for each the numbers of its rows, and the position of its anchor in the bytes of its group. */
export class InlinkList {
  #numbers = new Int32Array(WIDTH * 65_536);
  readonly #groups: Buffer[] = [];
  /** Number of links. */
  length = 0;

  /** Keeps the bytes of a group. @returns their number for {@link add} */
  hold(group: Buffer): number {
    return this.#groups.push(group) - 1;
  }

  add(target: number, source: number, group: number, at: number, length: number): void {
    let to = this.length++ * WIDTH;
    if (to === this.#numbers.length) {
      const larger = new Int32Array(to * 2);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    this.#numbers[to++] = target;
    this.#numbers[to++] = source;
    this.#numbers[to++] = group;
    this.#numbers[to++] = at;
    this.#numbers[to] = length;
  }

  target(link: number): number {
    return this.#numbers[link * WIDTH]!;
  }

  source(link: number): number {
    return this.#numbers[link * WIDTH + 1]!;
  }

  /** The anchor in UTF-8. */
  anchor(link: number): Buffer {
    const from = link * WIDTH;
    const at = this.#numbers[from + 3]!;
    return this.#groups[this.#numbers[from + 2]!]!.subarray(at, at + this.#numbers[from + 4]!);
  }

  /**
   * The links sorted by the rank of their target, then by that of their source.
   * @param rankOf returns the rank, below `ranks`, of a row by its number
   */
  sorted(ranks: number, rankOf: (number: number) => number): Int32Array {
    const all = Int32Array.from({ length: this.length }, (_, link) => link);
    const bySource = sortByRank(all, ranks, (link) => rankOf(this.source(link)));
    return sortByRank(bySource, ranks, (link) => rankOf(this.target(link)));
  }
}

/** Counting sort. Links of equal rank keep their order. */
function sortByRank(links: Int32Array, ranks: number, rankOf: (link: number) => number): Int32Array {
  const starts = new Int32Array(ranks + 1);
  for (const link of links) starts[rankOf(link) + 1]!++;
  for (let rank = 0; rank < ranks; rank++) starts[rank + 1]! += starts[rank]!;
  const sorted = new Int32Array(links.length);
  for (const link of links) sorted[starts[rankOf(link)]!++] = link;
  return sorted;
}
