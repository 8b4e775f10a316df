import { FEATURES } from './features.js';
import { FIRST, FIRST_BIAS, SECOND, SECOND_BIAS, TREES } from './model.js';
import { NEIGHBOUR_FEATURES, sumVerdicts } from './neighbours.js';
import type { Page } from './page.js';

const FIRST_WORDS = wordsOf(FIRST);
const SEEN = FIRST_WORDS.filter((_, i) => i % 2 === 0).map((name) => FEATURES[name]!);
const WEIGHTS = Float64Array.from(FIRST_WORDS.filter((_, i) => i % 2 === 1).map(Number));
const SEEN_AROUND = wordsOf(SECOND).map((name) => NEIGHBOUR_FEATURES[name]!);
const READ_TREES = TREES.map(readTree);

/**
 * Returns, for each block of a page, the chance that it belongs to the main content, from 0 to 1. The first verdict on a block is a
 * weighted sum of its features. The second verdict comes from small trees, which also use the first verdicts on other blocks.
 */
export function judge(page: Page): Float64Array {
  const { blocks } = page;
  const width = SEEN.length + SEEN_AROUND.length;
  const table = new Float32Array(blocks.length * width);
  const rows = blocks.map((block, index) => {
    const row = table.subarray(index * width, (index + 1) * width);
    for (let i = 0; i < SEEN.length; i++) row[i] = SEEN[i]!(block, page);
    return row;
  });
  const verdicts = sumVerdicts(page, Float64Array.from(rows, firstChance));
  return Float64Array.from(blocks, (block, index) => {
    const row = rows[index]!;
    for (let i = 0; i < SEEN_AROUND.length; i++) row[SEEN.length + i] = SEEN_AROUND[i]!(block, page, verdicts);
    let sum = SECOND_BIAS;
    for (const tree of READ_TREES) sum += treeScore(tree, row);
    return chanceOf(sum);
  });
}

function wordsOf(lines: readonly string[]): string[] {
  return lines.join(' ').split(' ');
}

function firstChance(row: Float32Array): number {
  let sum = FIRST_BIAS;
  for (let i = 0; i < WEIGHTS.length; i++) sum += WEIGHTS[i]! * row[i]!;
  return chanceOf(sum);
}

export function chanceOf(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}

/**
 * A tree that computes a number from a list of numbers. A leaf is the result. Another node compares one number of the list with a limit.
 */
type DecisionTree =
  | number
  | {
      readonly column: number;
      /** If the number of the list is at most this limit, `low` decides, else `high`. */
      readonly limit: number;
      readonly low: DecisionTree;
      readonly high: DecisionTree;
    };

/** Reads a tree in the form `column<limit low high`; `low` and `high` are trees or numbers. */
function readTree(text: string): DecisionTree {
  const words = text.split(' ').values();
  const read = (): DecisionTree => {
    const [column, limit] = (words.next().value as string).split('<');
    return limit === undefined
      ? Number(column)
      : { column: Number(column), limit: Number(limit), low: read(), high: read() };
  };
  return read();
}

function treeScore(tree: DecisionTree, row: ArrayLike<number>): number {
  let node = tree;
  while (typeof node !== 'number') node = row[node.column]! <= node.limit ? node.low : node.high;
  return node;
}
