import { readPieces, type Adjacency } from '../adjacency.js';

/** Options of the ranking. */
export interface PageRankOptions {
  /** The share of its rank that a node distributes over its links: at least 0, and less than 1. */
  readonly damping: number;
  /** The computation stops when the sum of all changes of ranks in an iteration is smaller than this number. */
  readonly tolerance: number;
  /** The computation stops after this number of iterations. */
  readonly maxIterations: number;
  /** What happens to the rank of nodes without links. `spread`: the rank is distributed equally over all nodes. `drop`: it is lost. */
  readonly danglingMass: 'spread' | 'drop';
  /** Start values, one for each node. The array is changed. Absent: all nodes start with the same value, and the sum is 1. */
  readonly start?: Float64Array;
  /** The weight of a link within a host. Other links have the weight 1. Absent: 1. */
  readonly internal?: {
    readonly weight: number;
    /** The first node of each host. */
    readonly hostStarts: Uint32Array;
  };
  /** When it aborts, the computation ends with the reason of the signal. */
  readonly signal?: AbortSignal;
  /** Called after each iteration. */
  readonly onIteration?: (iteration: number, change: number) => void;
}

/** The ranks, and figures of their computation. */
export interface PageRank {
  /** Ranks by node. Their sum is 1, or less if mass is dropped. */
  readonly ranks: Float64Array;
  readonly iterations: number;
  /** The sum of all changes of ranks in the last iteration. */
  readonly change: number;
}

/**
 * Computes PageRank by power iteration over the adjacency file, which is read once in each iteration. It needs two 64-bit numbers of memory for
 * each node, and 4 to 8 bytes more if links within hosts have another weight. It runs in one thread and adds in the order of the file.
 * Therefore the same input always gives exactly the same bits.
 */
export async function pageRank(
  adjacency: Adjacency,
  { damping, tolerance, maxIterations, danglingMass, start, internal, signal, onIteration }: PageRankOptions,
): Promise<PageRank> {
  const { nodes } = adjacency;
  if (nodes === 0) return { ranks: new Float64Array(0), iterations: 0, change: 0 };
  const weights = internal && internal.weight !== 1 ? await weightsOf(adjacency, internal, signal) : undefined;
  let ranks: Float64Array = start ?? new Float64Array(nodes).fill(1 / nodes);
  let next: Float64Array = new Float64Array(nodes);
  let change = Infinity;
  let iterations = 0;
  while (iterations < maxIterations && !(change < tolerance)) {
    next.fill(0);
    const dangling = weights
      ? await handOnWeighted(adjacency, ranks, next, weights, signal)
      : await handOn(adjacency, ranks, next, signal);
    const base = (1 - damping) / nodes + (danglingMass === 'spread' ? (damping * dangling) / nodes : 0);
    change = 0;
    for (let node = 0; node < nodes; node++) {
      const rank = base + damping * next[node]!;
      change += Math.abs(rank - ranks[node]!);
      next[node] = rank;
    }
    [ranks, next] = [next, ranks];
    iterations += 1;
    onIteration?.(iterations, change);
  }
  // If the start values are good enough, they are returned exactly as they are.
  return { ranks: start && iterations === 1 && change < tolerance ? next : ranks, iterations, change };
}

/** Distributes the rank of each node over its links. @returns the sum of the ranks of nodes without links */
async function handOn(
  adjacency: Adjacency,
  ranks: Float64Array,
  next: Float64Array,
  signal: AbortSignal | undefined,
): Promise<number> {
  let dangling = 0;
  let node = 0;
  let left = 0;
  let share = 0;
  for await (const piece of readPieces(adjacency, signal)) {
    for (let i = 0; i < piece.length;) {
      if (left === 0) {
        left = piece[i++]!;
        if (left === 0) dangling += ranks[node]!;
        else share = ranks[node]! / left;
        node += 1;
        continue;
      }
      const end = Math.min(piece.length, i + left);
      left -= end - i;
      for (; i < end; i++) next[piece[i]!]! += share;
    }
  }
  return dangling;
}

interface Weights {
  readonly weight: number;
  readonly hostStarts: Uint32Array;
  /** Number of links of each node to its own host. */
  readonly inside: Uint32Array;
}

async function weightsOf(
  adjacency: Adjacency,
  { weight, hostStarts }: { readonly weight: number; readonly hostStarts: Uint32Array },
  signal: AbortSignal | undefined,
): Promise<Weights> {
  const inside = new Uint32Array(adjacency.nodes);
  await eachLink(adjacency, hostStarts, signal, {
    node() {},
    link: (node, _, isInside) => void (inside[node]! += isInside ? 1 : 0),
  });
  return { weight, hostStarts, inside };
}

/** Distributes like {@link handOn}, with a weight for each link. */
async function handOnWeighted(
  adjacency: Adjacency,
  ranks: Float64Array,
  next: Float64Array,
  { weight, hostStarts, inside }: Weights,
  signal: AbortSignal | undefined,
): Promise<number> {
  let dangling = 0;
  let share = 0;
  await eachLink(adjacency, hostStarts, signal, {
    node(node, degree) {
      const total = degree - inside[node]! + weight * inside[node]!;
      if (total === 0) dangling += ranks[node]!;
      share = total === 0 ? 0 : ranks[node]! / total;
    },
    link: (_, target, isInside) => void (next[target]! += isInside ? share * weight : share),
  });
  return dangling;
}

async function eachLink(
  adjacency: Adjacency,
  hostStarts: Uint32Array,
  signal: AbortSignal | undefined,
  visit: {
    node(node: number, degree: number): void;
    link(node: number, target: number, isInside: boolean): void;
  },
): Promise<void> {
  let node = -1;
  let left = 0;
  let host = 0;
  let hostEnd = 0;
  for await (const piece of readPieces(adjacency, signal)) {
    for (let i = 0; i < piece.length;) {
      if (left === 0) {
        node += 1;
        while (node >= hostEnd) hostEnd = hostStarts[++host] ?? adjacency.nodes;
        left = piece[i++]!;
        visit.node(node, left);
        continue;
      }
      const end = Math.min(piece.length, i + left);
      left -= end - i;
      const hostStart = hostStarts[host - 1]!;
      for (; i < end; i++) visit.link(node, piece[i]!, piece[i]! >= hostStart && piece[i]! < hostEnd);
    }
  }
}
