/** A place in a unit square. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

const ROUNDS = 300;

/**
 * Places nodes so that linked ones come near and others keep apart (Fruchterman and Reingold, "Graph Drawing by Force-directed
 * Placement", 1991), from a spiral on, without chance: the same graph has the same picture. The time grows by the square of the nodes.
 * @param edges pairs of nodes
 */
export function layoutOf(nodes: number, edges: readonly (readonly [number, number])[]): readonly Point[] {
  const x = new Float64Array(nodes);
  const y = new Float64Array(nodes);
  for (let i = 0; i < nodes; i++) {
    // The golden angle: no two nodes in one direction.
    const radius = Math.sqrt((i + 0.5) / nodes);
    x[i] = radius * Math.cos(2.399963 * i);
    y[i] = radius * Math.sin(2.399963 * i);
  }
  const ideal = Math.sqrt(3 / Math.max(nodes, 1));
  for (let round = 0; round < ROUNDS; round++) move(x, y, edges, ideal, 0.2 * (1 - round / ROUNDS));
  return intoSquare(x, y);
}

/** One round; no node moves further than `most`. */
function move(
  x: Float64Array,
  y: Float64Array,
  edges: readonly (readonly [number, number])[],
  ideal: number,
  most: number,
): void {
  const dx = new Float64Array(x.length);
  const dy = new Float64Array(x.length);
  const push = (a: number, b: number, force: (distance: number) => number): void => {
    const [gx, gy] = [x[a]! - x[b]!, y[a]! - y[b]!];
    const distance = Math.max(Math.hypot(gx, gy), 1e-6);
    const by = force(distance) / distance;
    dx[a]! += gx * by;
    dy[a]! += gy * by;
    dx[b]! -= gx * by;
    dy[b]! -= gy * by;
  };
  for (let a = 0; a < x.length; a++) for (let b = 0; b < a; b++) push(a, b, (distance) => (ideal * ideal) / distance);
  for (const [a, b] of edges) push(a, b, (distance) => -(distance * distance) / ideal);
  for (let i = 0; i < x.length; i++) {
    // What hangs together with nothing would fly away.
    dx[i]! -= x[i]! * ideal * 2;
    dy[i]! -= y[i]! * ideal * 2;
    const length = Math.max(Math.hypot(dx[i]!, dy[i]!), 1e-9);
    x[i]! += (dx[i]! / length) * Math.min(length, most);
    y[i]! += (dy[i]! / length) * Math.min(length, most);
  }
}

function intoSquare(x: Float64Array, y: Float64Array): readonly Point[] {
  const spanOf = (values: Float64Array): [number, number] => {
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return [low, high - low];
  };
  const [left, width] = spanOf(x);
  const [top, height] = spanOf(y);
  const into = (value: number, low: number, span: number): number => (span > 0 ? (value - low) / span : 0.5);
  return Array.from(x, (value, i) => ({ x: into(value, left, width), y: into(y[i]!, top, height) }));
}
