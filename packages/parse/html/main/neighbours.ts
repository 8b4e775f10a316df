import type { Block } from './block-text.js';
import { isHeading } from './outline.js';
import { ancestor, type Page } from './page.js';

export interface FirstVerdicts {
  readonly first: Float64Array;
  /** For each block, sums over all blocks before it: in `kept` the verdict times the length, in `count` the verdict. */
  readonly kept: Float64Array;
  readonly count: Float64Array;
  /** For each tag and class, the sum and the number of verdicts on blocks in elements with this tag and class. */
  readonly alike: ReadonlyMap<string, { sum: number; count: number }>;
  /** For each block, the mean verdict on the blocks under the same heading. A heading has the mean of the blocks below it. */
  readonly section: Float64Array;
}

type Feature = (block: Block, page: Page, verdicts: FirstVerdicts) => number;

export function sumVerdicts(page: Page, first: Float64Array): FirstVerdicts {
  const { blocks } = page;
  const kept = new Float64Array(blocks.length + 1);
  const count = new Float64Array(blocks.length + 1);
  const alike = new Map<string, { sum: number; count: number }>();
  blocks.forEach((block, i) => {
    kept[i + 1] = kept[i]! + first[i]! * block.length;
    count[i + 1] = count[i]! + first[i]!;
    const name = kindOf(block);
    const same = alike.get(name);
    if (same) {
      same.sum += first[i]!;
      same.count++;
    } else alike.set(name, { sum: first[i]!, count: 1 });
  });
  const section = new Float64Array(blocks.length);
  let start = 0;
  const end = (to: number): void => {
    const mean = to > start ? (count[to]! - count[start]!) / (to - start) : 0;
    for (let i = Math.max(0, start - 1); i < to; i++) section[i] = mean;
  };
  for (let i = 0; i <= blocks.length; i++) {
    if (i < blocks.length && !isHeading(blocks[i]!)) continue;
    end(i);
    start = i + 1;
  }
  return { first, kept, count, alike, section };
}

function kindOf({ part }: Block): string {
  return `${part.tagName} ${part.parent?.tagName ?? ''} ${part.words} ${part.parent?.words ?? 0}`;
}

const log = (count: number): number => Math.log1p(Math.max(0, count));
const BESIDE = [-3, -2, -1, 1, 2, 3];
const UP = [0, 1, 2, 3, 4];

/**
 * Returns the mean verdict on the blocks from `from` to `to`, without the block `index`. If there are no other blocks, it returns the
 * verdict on this block.
 */
function meanOf({ count, first }: FirstVerdicts, from: number, to: number, index: number): number {
  const isWithin = index >= from && index < to;
  const blocks = to - from - (isWithin ? 1 : 0);
  return blocks > 0 ? (count[to]! - count[from]! - (isWithin ? first[index]! : 0)) / blocks : first[index]!;
}

export const NEIGHBOUR_FEATURES: Readonly<Record<string, Feature>> = {
  v: ({ index }, _, { first }) => first[index]!,
  /** The verdict on each of the three blocks before and after, and the mean verdict on the four blocks before and after. */
  ...Object.fromEntries(
    BESIDE.map((by): [string, Feature] => [`v_${by}`, ({ index }, _, { first }) => first[index + by] ?? 0]),
  ),
  vBefore: ({ index }, _, verdicts) => (index > 0 ? meanOf(verdicts, Math.max(0, index - 4), index, -1) : 0),
  vAfter: ({ index }, { blocks }, verdicts) =>
    index + 1 < blocks.length ? meanOf(verdicts, index + 1, Math.min(blocks.length, index + 5), -1) : 0,
  /** For each of the nearest elements around the block, the mean verdict on the text in the element, weighted by length. */
  ...Object.fromEntries(
    UP.map((steps): [string, Feature] => [
      `vUp${steps}`,
      (block, page, { kept }) => {
        const { first, end } = ancestor(block, steps);
        return (kept[end]! - kept[first]!) / Math.max(1, page.sums.length[end]! - page.sums.length[first]!);
      },
    ]),
  ),
  vSiblings: (block, _, verdicts) => {
    const { first, end } = ancestor(block, 1);
    return meanOf(verdicts, first, end, block.index);
  },
  vAlike: (block, _, { alike, first }) => {
    const { sum, count } = alike.get(kindOf(block))!;
    return count > 1 ? (sum - first[block.index]!) / (count - 1) : first[block.index]!;
  },
  vSection: ({ index }, _, { section }) => section[index]!,
  /** The position of the block in the text that the first verdict keeps, and the share of this text in the page. */
  keptBefore: ({ index }, { blocks }, { kept }) => kept[index]! / Math.max(1, kept[blocks.length]!),
  keptLettersBefore: ({ index }, _, { kept }) => log(kept[index]!) / 2,
  keptLettersAfter: ({ index }, { blocks }, { kept }) => log(kept[blocks.length]! - kept[index + 1]!) / 2,
  keptShare: (_, { blocks, length }, { kept }) => kept[blocks.length]! / Math.max(1, length),
};
