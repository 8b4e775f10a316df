// Logistic regression with a penalty on squared weights, by L-BFGS.
const MEMORY = 8;
/** Minimum deviation for scaling a column: a value that few rows have says little. */
const RAREST = 0.12;

/**
 * @param rows arrays of numbers @param labels 0 or 1 @param weights of rows
 * @param penalty on half the sum of squares of the weights of standardised columns
 * @returns a bias and a weight for each column, for rows that are not standardised
 */
export function trainLogistic(rows, labels, weights, penalty, rounds = 80) {
  const columns = rows[0].length;
  const { means, scales } = standards(rows, weights);
  const data = rows.map((row) => Float64Array.from(row, (value, j) => clip((value - means[j]) * scales[j])));
  const loss = (at, gradient) => {
    gradient.fill(0);
    let sum = 0;
    for (let j = 0; j < columns; j++) {
      sum += (penalty / 2) * at[j] ** 2;
      gradient[j] = penalty * at[j];
    }
    data.forEach((row, i) => {
      let z = at[columns];
      for (let j = 0; j < columns; j++) z += at[j] * row[j];
      const chance = 1 / (1 + Math.exp(-z));
      sum += weights[i] * (Math.log1p(Math.exp(-Math.abs(z))) + Math.max(0, z) - labels[i] * z);
      const error = weights[i] * (chance - labels[i]);
      for (let j = 0; j < columns; j++) gradient[j] += error * row[j];
      gradient[columns] += error;
    });
    return sum;
  };
  const found = minimise(loss, columns + 1, rounds);
  const out = Float64Array.from(found.subarray(0, columns), (weight, j) => weight * scales[j]);
  const bias = found[columns] - out.reduce((sum, weight, j) => sum + weight * means[j], 0);
  return { bias, weights: out };
}

const clip = (value) => Math.max(-5, Math.min(5, value));

function standards(rows, weights) {
  const columns = rows[0].length;
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const means = new Float64Array(columns);
  const squares = new Float64Array(columns);
  rows.forEach((row, i) => {
    for (let j = 0; j < columns; j++) {
      means[j] += (weights[i] * row[j]) / total;
      squares[j] += (weights[i] * row[j] ** 2) / total;
    }
  });
  const scales = squares.map((square, j) => {
    const deviation = Math.sqrt(Math.max(0, square - means[j] ** 2));
    return deviation > 1e-6 ? 1 / Math.max(deviation, RAREST) : 0;
  });
  return { means, scales };
}

/** Minimises a smooth function, starting at 0, by L-BFGS. */
function minimise(loss, size, rounds) {
  let at = new Float64Array(size);
  let gradient = new Float64Array(size);
  let value = loss(at, gradient);
  const steps = [];
  for (let round = 0; round < rounds; round++) {
    const direction = downhill(gradient, steps);
    const slope = dot(direction, gradient);
    let rate = steps.length === 0 ? 1 / Math.max(1, Math.sqrt(dot(gradient, gradient))) : 1;
    let next, nextGradient, nextValue;
    for (let tries = 0; tries < 20; tries++, rate /= 2) {
      next = at.map((one, j) => one + rate * direction[j]);
      nextGradient = new Float64Array(size);
      nextValue = loss(next, nextGradient);
      if (nextValue <= value + 1e-4 * rate * slope) break;
    }
    const s = next.map((one, j) => one - at[j]);
    const y = nextGradient.map((one, j) => one - gradient[j]);
    const curve = dot(s, y);
    if (curve > 1e-10) steps.push({ s, y, curve });
    if (steps.length > MEMORY) steps.shift();
    const gain = value - nextValue;
    [at, gradient, value] = [next, nextGradient, nextValue];
    if (gain < 1e-6 * Math.abs(value)) break;
  }
  return at;
}

function downhill(gradient, steps) {
  const direction = gradient.map((one) => -one);
  const shares = [];
  for (const { s, y, curve } of [...steps].reverse()) {
    const share = dot(s, direction) / curve;
    shares.push(share);
    for (let j = 0; j < direction.length; j++) direction[j] -= share * y[j];
  }
  const last = steps.at(-1);
  if (last) {
    const scale = last.curve / dot(last.y, last.y);
    for (let j = 0; j < direction.length; j++) direction[j] *= scale;
  }
  for (const { s, y, curve } of steps) {
    const share = shares.pop() - dot(y, direction) / curve;
    for (let j = 0; j < direction.length; j++) direction[j] += share * s[j];
  }
  return direction;
}

function dot(a, b) {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += a[j] * b[j];
  return sum;
}
