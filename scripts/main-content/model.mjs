// The two verdicts on blocks: training, application, and output as constants.
import { trainLogistic } from './logistic.mjs';
import { trainTrees, treeScore } from './trees.mjs';

/** Chosen by cross-validation. */
const PENALTY = 30;
const FOLDS = 5;
const TREES = { trees: 100, leaves: 8, rate: 0.1, penalty: 5, least: 2, columns: 0.3, sample: 0.7 };

/**
 * Trains both verdicts. The second learns from first verdicts of models that have not seen the page, since in use all pages are new.
 * @param pages as `readBlocks` returns them
 */
export function trainModel(pages, library, random) {
  const first = trainFirst(pages);
  const folds = foldsByHost(pages, FOLDS, random);
  const chances = [];
  for (let fold = 0; fold < FOLDS; fold++) {
    const others = trainFirst(pages.filter((_, i) => folds[i] !== fold));
    pages.forEach((page, i) => {
      if (folds[i] === fold) chances[i] = firstChances(others, page);
    });
  }
  const samples = pages.flatMap((page, i) => {
    const rowOf = secondRows(page, chances[i], library);
    return page.labels.map(({ block, label, weight }) => ({ row: rowOf(block), label, weight }));
  });
  const [rows, labels, weights] = ['row', 'label', 'weight'].map((name) => samples.map((sample) => sample[name]));
  return { first, second: trainTrees(rows, labels, weights, TREES, random) };
}

/** The chances of the blocks of a page, by both verdicts. */
export function applyModel({ first, second }, page, library) {
  const rowOf = secondRows(page, firstChances(first, page), library);
  return Float64Array.from(page.rows.keys(), (block) => {
    const row = rowOf(block);
    return chance(second.trees.reduce((sum, tree) => sum + treeScore(tree, row), second.bias));
  });
}

function trainFirst(pages) {
  const labels = pages.flatMap((page) => page.labels.map((label) => ({ ...label, row: page.rows[label.block] })));
  return trainLogistic(
    labels.map(({ row }) => row),
    labels.map(({ label }) => label),
    labels.map(({ weight }) => weight),
    PENALTY,
  );
}

function firstChances({ bias, weights }, { rows }) {
  return Float64Array.from(rows, (row) => {
    let sum = bias;
    for (let j = 0; j < row.length; j++) sum += row[j] * weights[j];
    return chance(sum);
  });
}

function secondRows({ page, rows }, chances, { NEIGHBOUR_FEATURES, sumVerdicts }) {
  const verdicts = sumVerdicts(page, chances);
  const see = Object.values(NEIGHBOUR_FEATURES);
  return (block) => {
    const row = new Float32Array(rows[block].length + see.length);
    row.set(rows[block]);
    see.forEach((feature, j) => (row[rows[block].length + j] = feature(page.blocks[block], page, verdicts)));
    return row;
  };
}

function chance(sum) {
  return 1 / (1 + Math.exp(-sum));
}

/** The fold of each page; all pages of a host are in the same. */
export function foldsByHost(pages, folds, random) {
  const hosts = [...new Set(pages.map(({ host }) => host))].map((host) => [random(), host]).sort(([a], [b]) => a - b);
  const foldOf = new Map(hosts.map(([, host], i) => [host, i % folds]));
  return pages.map(({ host }) => foldOf.get(host));
}

/** Numbers from 0 to 1 that are the same for the same seed. */
export function randomOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const mixed = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d);
    return ((mixed ^ (mixed >>> 12)) >>> 0) / 2 ** 32;
  };
}

/** The constants as a module. */
export function modelText({ first, second }, { FEATURES, NEIGHBOUR_FEATURES }) {
  const sums = Object.keys(FEATURES).map((name, j) => `${name} ${short(first.weights[j], 3)}`);
  return `// Made by scripts/main-content/train.mjs.

/** The first verdict: a bias, and features with their weights. */
export const FIRST_BIAS = ${Number(first.bias.toPrecision(3))};
export const FIRST: readonly string[] = [
${lines(sums)}
];

/** The second verdict: the features that the first verdict does not have, a bias, and trees in the form \`column<limit low high\`. */
export const SECOND: readonly string[] = [
${lines(Object.keys(NEIGHBOUR_FEATURES))}
];
export const SECOND_BIAS = ${Number(second.bias.toPrecision(3))};
export const TREES: readonly string[] = [
${second.trees.map((tree) => `  '${treeText(tree)}',\n`).join('')}];
`;
}

function treeText(tree) {
  if (typeof tree === 'number') return short(Math.round(tree * 1000) / 1000, 2);
  return `${tree.column}<${short(tree.limit, 3)} ${treeText(tree.low)} ${treeText(tree.high)}`;
}

function short(number, digits) {
  return String(Number(number.toPrecision(digits))).replace(/^(-?)0\./, '$1.');
}

/** Words joined to string literals, one a line. */
function lines(words) {
  const made = [];
  for (const word of words) {
    if (made.length > 0 && made.at(-1).length + word.length < 110) made[made.length - 1] += ` ${word}`;
    else made.push(word);
  }
  return made.map((line) => `  '${line}',`).join('\n');
}
