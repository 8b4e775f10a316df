// Boosted trees: each small tree is fitted to the remaining error of the trees before it.
const BINS = 32;

/**
 * @param rows arrays of numbers @param labels 0 or 1 @param weights of rows
 * @param options number of `trees`, `leaves` of each, `rate` of learning, `penalty` on leaves, `least` weight in a leaf, `columns` and
 *   `sample`: the shares of the columns and rows that a tree sees
 * @returns a bias and trees; a tree is its nodes: `{column, limit, low, high}` with `low` where the number is at most the limit, or a number
 */
export function trainTrees(rows, labels, weights, options, random) {
  const { trees: count, columns, sample } = options;
  const { limits, bins } = binned(rows);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const share = labels.reduce((sum, label, i) => sum + label * weights[i], 0) / total;
  const bias = Math.log(share / (1 - share));
  const scores = new Float64Array(rows.length).fill(bias);
  const trees = [];
  for (let t = 0; t < count; t++) {
    const slopes = new Float64Array(rows.length);
    const curves = new Float64Array(rows.length);
    for (let i = 0; i < rows.length; i++) {
      const chance = 1 / (1 + Math.exp(-scores[i]));
      slopes[i] = weights[i] * (labels[i] - chance);
      curves[i] = weights[i] * Math.max(1e-6, chance * (1 - chance));
    }
    const seen = Int32Array.from(rows.keys()).filter(() => random() < sample);
    const used = [...limits.keys()].filter(() => random() < columns);
    const tree = growTree({ bins, limits, slopes, curves, used, ...options }, seen);
    trees.push(tree);
    for (let i = 0; i < rows.length; i++) scores[i] += treeScore(tree, rows[i]);
  }
  return { bias, trees };
}

/** The value of a tree for a row. */
export function treeScore(tree, row) {
  let node = tree;
  while (typeof node !== 'number') node = row[node.column] <= node.limit ? node.low : node.high;
  return node;
}

/** Divides the values of each column into bins with about the same number of rows. */
function binned(rows) {
  const limits = rows[0]
    ? Array.from(rows[0], (_, j) => limitsOf(Float64Array.from(rows, (row) => row[j]).sort()))
    : [];
  const bins = limits.map((limit, j) =>
    Uint8Array.from(rows, (row) => {
      let bin = 0;
      while (bin < limit.length && row[j] > limit[bin]) bin++;
      return bin;
    }),
  );
  return { limits, bins };
}

function limitsOf(sorted) {
  const limits = [];
  for (let b = 1; b < BINS; b++) {
    const at = Math.floor((b * sorted.length) / BINS);
    let above = at;
    while (above < sorted.length && sorted[above] === sorted[at]) above++;
    if (above === sorted.length) break;
    const limit = Number(((sorted[at] + sorted[above]) / 2).toPrecision(3));
    if (limit < sorted[above] && limit >= sorted[at] && !(limit <= limits.at(-1))) limits.push(limit);
  }
  // A column in which few rows differ from the rest.
  const [low, high] = [sorted[0], sorted.at(-1)];
  if (limits.length === 0 && low < high) {
    const above = sorted.find((value) => value > low);
    limits.push(Number(((low + above) / 2).toPrecision(3)));
  }
  return limits;
}

/** Splits the leaf that gains most until there are enough leaves. */
function growTree(data, seen) {
  const root = leafOf(data, seen);
  const leaves = [root];
  while (leaves.length < data.leaves) {
    const best = leaves.reduce((a, b) => (b.gain > a.gain ? b : a));
    if (!(best.gain > 1e-4)) break;
    const { column, bin } = best.split;
    best.low = leafOf(
      data,
      best.seen.filter((i) => data.bins[column][i] <= bin),
    );
    best.high = leafOf(
      data,
      best.seen.filter((i) => data.bins[column][i] > bin),
    );
    leaves.splice(leaves.indexOf(best), 1, best.low, best.high);
  }
  const made = ({ low, high, split, value }) =>
    low
      ? { column: split.column, limit: data.limits[split.column][split.bin], low: made(low), high: made(high) }
      : value;
  return made(root);
}

function leafOf({ bins, limits, slopes, curves, used, penalty, least, rate }, seen) {
  let slope = 0;
  let curve = 0;
  for (const i of seen) {
    slope += slopes[i];
    curve += curves[i];
  }
  const leaf = { seen, value: (rate * slope) / (curve + penalty), gain: 0, split: undefined };
  const whole = slope ** 2 / (curve + penalty);
  const slopeSums = new Float64Array(BINS);
  const curveSums = new Float64Array(BINS);
  for (const column of used) {
    const ofColumn = bins[column];
    slopeSums.fill(0);
    curveSums.fill(0);
    for (const i of seen) {
      slopeSums[ofColumn[i]] += slopes[i];
      curveSums[ofColumn[i]] += curves[i];
    }
    let low = 0;
    let lowCurve = 0;
    for (let bin = 0; bin < limits[column].length; bin++) {
      low += slopeSums[bin];
      lowCurve += curveSums[bin];
      if (lowCurve < least || curve - lowCurve < least) continue;
      const gain = low ** 2 / (lowCurve + penalty) + (slope - low) ** 2 / (curve - lowCurve + penalty) - whole;
      if (gain > leaf.gain) Object.assign(leaf, { gain, split: { column, bin } });
    }
  }
  return leaf;
}
