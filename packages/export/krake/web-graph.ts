import { CrawlError } from '../../errors/index.js';
import type { Adjacency } from '../../graph/index.js';
import type { Target } from '../target/target.js';
import { INT, KRAKE_FILES, checkInt32, int32 } from './formats.js';
import { linksOf, type NodeLinks } from './link-lists.js';

const PIECE = 2 ** 16;

/** What {@link writeWebGraph} takes. */
export interface WebGraph {
  readonly adjacency: Adjacency;
  /** The NodeID of each node. */
  readonly nodeIds: Uint32Array;
  /** An existing folder for what is sorted. */
  readonly folder: string;
  /** Ends it; it throws the signal's reason. */
  readonly signal: AbortSignal | undefined;
}

/**
 * Writes the web graph file.
 * @throws CrawlError BAD_OUTPUT, also beyond 2^31 - 1 nodes, or edges of one; STORE_FULL
 */
export async function writeWebGraph(target: Target, { adjacency, nodeIds, folder, signal }: WebGraph): Promise<void> {
  const part = await target.part(KRAKE_FILES.graph);
  for await (const piece of graphPieces(adjacency.nodes, linksOf(adjacency, nodeIds, { folder, signal }))) {
    signal?.throwIfAborted();
    await part.write(piece);
  }
  await part.end();
}

/**
 * The bytes of the web graph file.
 * @param nodes in order of their NodeID, as many as `count` says
 * @throws CrawlError BAD_OUTPUT beyond 2^31 - 1 nodes, or edges of one
 */
export async function* graphPieces(
  count: number,
  nodes: AsyncIterable<NodeLinks> | Iterable<NodeLinks>,
): AsyncGenerator<Buffer> {
  // Who takes a piece may keep it, so each is a new one.
  let piece = Buffer.allocUnsafe(PIECE);
  let at = 0;
  let written = 0;

  function* whole(): Generator<Buffer> {
    yield piece.subarray(0, at);
    piece = Buffer.allocUnsafe(PIECE);
    at = 0;
  }
  function* put(numbers: Uint32Array): Generator<Buffer> {
    for (let i = 0; i < numbers.length;) {
      if (at === PIECE) yield* whole();
      const end = Math.min(numbers.length, i + (PIECE - at) / INT);
      for (; i < end; i++) at = piece.writeInt32BE(numbers[i]!, at);
    }
  }

  at = int32(count, 'nodes').copy(piece);
  for await (const { inlinks, outlinks } of nodes) {
    const edges = inlinks.length + outlinks.length;
    checkInt32(edges, 'edges of a node');
    yield* put(Uint32Array.of(edges, inlinks.length));
    for (const { spooled, last } of [inlinks, outlinks]) {
      if (spooled) for await (const numbers of spooled()) yield* put(numbers);
      yield* put(last);
    }
    written += 1;
  }
  if (written !== count) throw new CrawlError('INTERNAL', `expected ${count} nodes of a graph, found ${written}`);
  yield* whole();
}
