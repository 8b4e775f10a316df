import { CrawlError } from '../../errors/index.js';
import { readLists, type Adjacency } from '../../graph/index.js';
import { createPairSorter } from '../../scan/index.js';
import type { Target } from '../target/target.js';
import { INT_BYTES, KRAKE_FILES, checkInt32, int32 } from './formats.js';

const PIECE = 2 ** 16;

interface WebGraph {
  readonly adjacency: Adjacency;
  readonly nodeIds: Uint32Array;
  readonly folder: string;
  /** When the signal is aborted, the export ends and throws the reason of the signal. */
  readonly signal: AbortSignal | undefined;
}

/**
 * Writes the web graph file. This takes 8 bytes of memory for each node, because the file has the number of a node's links before the links
 * themselves.
 * @throws CrawlError BAD_OUTPUT, also for more than 2^31 - 1 nodes, or a node with more than 2^31 - 1 edges; STORE_FULL
 */
export async function writeWebGraph(target: Target, { adjacency, nodeIds, folder, signal }: WebGraph): Promise<void> {
  const outgoing = await sortedLinks(adjacency, nodeIds, 'out', { folder, signal });
  const incoming = await sortedLinks(adjacency, nodeIds, 'in', { folder, signal });
  const part = await target.part(KRAKE_FILES.graph);
  for await (const piece of graphPieces(incoming, outgoing)) {
    signal?.throwIfAborted();
    await part.write(piece);
  }
  await part.end();
}

export interface SortedLinks {
  /** Number of links of each node, by NodeID. */
  readonly counts: Uint32Array;
  /**
   * The links as pairs of two numbers, the other end and the node, sorted by node and then by other end. The pairs come in pieces. Each
   * piece is valid only until the next one is read.
   */
  readonly pairs: AsyncIterable<Uint32Array>;
}

async function sortedLinks(
  adjacency: Adjacency,
  nodeIds: Uint32Array,
  direction: 'in' | 'out',
  { folder, signal }: Pick<WebGraph, 'folder' | 'signal'>,
): Promise<SortedLinks> {
  const sorter = createPairSorter(folder);
  const counts = new Uint32Array(nodeIds.length);
  let row = 0;
  for await (const targets of readLists(adjacency, signal)) {
    const source = nodeIds[row++]!;
    for (const each of targets) {
      const target = nodeIds[each]!;
      const [node, other] = direction === 'out' ? [source, target] : [target, source];
      counts[node]! += 1;
      const wait = sorter.add(node, other);
      if (wait) await wait;
    }
  }
  return { counts, pairs: sorter.sorted() };
}

/** @throws CrawlError BAD_OUTPUT for more than 2^31 - 1 nodes, or a node with more than 2^31 - 1 edges */
export async function* graphPieces(incoming: SortedLinks, outgoing: SortedLinks): AsyncGenerator<Buffer> {
  const nodes = incoming.counts.length;
  const sources = otherEnds(incoming.pairs);
  const targets = otherEnds(outgoing.pairs);
  // Each piece is a new buffer, because the consumer may still use the last piece.
  let piece = Buffer.allocUnsafe(PIECE);
  let at = int32(nodes, 'nodes').copy(piece);

  for (let node = 0; node < nodes; node++) {
    const [ins, outs] = [incoming.counts[node]!, outgoing.counts[node]!];
    checkInt32(ins + outs, 'edges of a node');
    if (at + 2 * INT_BYTES > PIECE) {
      yield piece.subarray(0, at);
      [piece, at] = [Buffer.allocUnsafe(PIECE), 0];
    }
    at = piece.writeInt32BE(ins + outs, at);
    at = piece.writeInt32BE(ins, at);
    for (let i = 0; i < ins + outs; i++) {
      if (at + INT_BYTES > PIECE) {
        yield piece.subarray(0, at);
        [piece, at] = [Buffer.allocUnsafe(PIECE), 0];
      }
      const number = i < ins ? sources() : targets();
      at = piece.writeInt32BE(typeof number === 'number' ? number : await number, at);
    }
  }
  yield piece.subarray(0, at);
}

function otherEnds(pairs: AsyncIterable<Uint32Array>): () => number | Promise<number> {
  const pieces = pairs[Symbol.asyncIterator]();
  let piece = new Uint32Array(0);
  let at = 0;
  const more = async (): Promise<number> => {
    const next = await pieces.next();
    if (next.done) throw new CrawlError('INTERNAL', 'expected as many links as were counted, found fewer');
    piece = next.value as Uint32Array<ArrayBuffer>;
    at = 2;
    return piece[0]!;
  };
  return () => {
    if (at === piece.length) return more();
    at += 2;
    return piece[at - 2]!;
  };
}
