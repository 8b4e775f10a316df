import { open, type FileHandle } from 'node:fs/promises';
import { CrawlError } from '../errors/index.js';
import { onDisk, readChunks } from '../scan/index.js';

/**
 * The adjacency file, from which all formats and the ranking are made. It consists of little-endian numbers of 32 bits. First come the
 * number of nodes and the number of edges. Then, for each node in order, come the number of its outgoing edges, and their targets in
 * ascending order.
 */
export interface Adjacency {
  readonly path: string;
  readonly nodes: number;
  readonly edges: number;
}

interface AdjacencyOptions {
  readonly nodes: number;
  /** Pieces of pairs: target, source, target, source …. The pairs are sorted by source and then by target. */
  readonly pairs: AsyncIterable<Uint32Array>;
  /** Called with the number of repeated pairs, which are not written. */
  readonly onRepeated?: (count: number) => void;
  readonly signal?: AbortSignal | undefined;
}

export const MAX_IN_FILE = 2 ** 32 - 16;
const HEAD = 8;
const PIECE = 2 ** 16;
const READ_BYTES = 4 * 2 ** 20;

/** @throws CrawlError STORE_FULL; BAD_OUTPUT, also for too many nodes or edges */
export async function writeAdjacency(path: string, options: AdjacencyOptions): Promise<Adjacency> {
  const { nodes } = options;
  checkCount(nodes, 'nodes');
  const file = await onDisk(path, () => open(path, 'w'));
  try {
    const edges = await writeLists(path, file, options);
    checkCount(edges, 'edges');
    const head = Uint32Array.of(nodes, edges);
    await onDisk(path, () => file.write(new Uint8Array(head.buffer), 0, HEAD, 0));
    return { path, nodes, edges };
  } finally {
    await file.close();
  }
}

async function writeLists(
  path: string,
  file: FileHandle,
  { nodes, pairs, onRepeated, signal }: AdjacencyOptions,
): Promise<number> {
  const out = new Uint32Array(PIECE);
  let used = 0;
  let edges = 0;
  const flush = async (): Promise<void> => {
    await onDisk(path, () => file.writeFile(new Uint8Array(out.buffer, 0, used * 4)));
    used = 0;
  };
  let list = new Uint32Array(1024);
  let size = 0;
  let source = 0;

  /** Writes the list of `source`, and an empty list for each node between `source` and `next`. */
  async function endLists(next: number): Promise<void> {
    if (used + 1 + size > PIECE) await flush();
    out[used++] = size;
    if (size < PIECE - used) {
      out.set(list.subarray(0, size), used);
      used += size;
    } else {
      await flush();
      await onDisk(path, () => file.writeFile(new Uint8Array(list.buffer, 0, size * 4)));
    }
    edges += size;
    size = 0;
    for (source += 1; source < next; source++) {
      if (used === PIECE) await flush();
      out[used++] = 0;
    }
  }

  out[used++] = 0;
  out[used++] = 0;
  for await (const piece of pairs) {
    signal?.throwIfAborted();
    let repeated = 0;
    for (let i = 0; i < piece.length; i += 2) {
      const target = piece[i]!;
      if (piece[i + 1] !== source) await endLists(piece[i + 1]!);
      if (size > 0 && list[size - 1] === target) {
        repeated += 1;
        continue;
      }
      if (size === list.length) {
        const longer = new Uint32Array(2 * size);
        longer.set(list);
        list = longer;
      }
      list[size++] = target;
    }
    onRepeated?.(repeated);
  }
  if (nodes > 0) await endLists(nodes);
  await flush();
  return edges;
}

/** @throws CrawlError BAD_OUTPUT for more nodes, edges or rows than 32 bits can number */
export function checkCount(count: number, what: string): void {
  if (count <= MAX_IN_FILE) return;
  throw new CrawlError('BAD_OUTPUT', `expected a graph of at most ${MAX_IN_FILE} ${what}, found ${count}`, {
    hint: 'select a part of the table, by --host, --domain or --prefix, or use the level of hosts',
  });
}

/**
 * Yields the content of an adjacency file after its head, in large pieces. Each piece is valid only until the next one is read.
 * @param signal when it aborts, reading ends with the reason of the signal
 * @param bytes size of a piece; only tests change the default
 */
export async function* readPieces(
  { path }: Adjacency,
  signal: AbortSignal | undefined,
  bytes = READ_BYTES,
): AsyncGenerator<Uint32Array> {
  for await (const chunk of readChunks(path, { from: HEAD, bytes: bytes - (bytes % 4) })) {
    signal?.throwIfAborted();
    yield new Uint32Array(chunk.buffer, 0, chunk.length / 4);
  }
}

/**
 * Yields the targets of each node, in the order of the nodes. The targets are in ascending order, and none is repeated. Each list is valid
 * only until the next one is read. Memory contains only the longest list.
 * @param signal when it aborts, reading ends with the reason of the signal
 */
export async function* readLists(adjacency: Adjacency, signal?: AbortSignal): AsyncGenerator<Uint32Array> {
  let list = new Uint32Array(1024);
  let size = -1;
  let filled = 0;
  for await (const piece of readPieces(adjacency, signal)) {
    for (let i = 0; i < piece.length;) {
      if (size < 0) {
        size = piece[i++]!;
        filled = 0;
        if (size > list.length) list = new Uint32Array(2 * size);
      }
      const part = Math.min(size - filled, piece.length - i);
      list.set(piece.subarray(i, i + part), filled);
      filled += part;
      i += part;
      if (filled < size) continue;
      yield list.subarray(0, size);
      size = -1;
    }
  }
}
