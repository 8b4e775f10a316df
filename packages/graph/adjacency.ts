import { open, type FileHandle } from 'node:fs/promises';
import { CrawlError } from '../errors/index.js';
import { onDisk } from './sort/index.js';

/**
 * The adjacency file, which all formats and the rank read: numbers of 32 bits, little-endian. First how many nodes and edges
 * there are, then for each node, by its number, how many edges leave it and where each leads, in ascending order.
 */
export interface Adjacency {
  readonly path: string;
  readonly nodes: number;
  readonly edges: number;
}

/** What an adjacency file is made of. */
export interface AdjacencyOptions {
  readonly nodes: number;
  /** Pieces of target, source, target, source …, sorted by source and then by target. */
  readonly pairs: AsyncIterable<Uint32Array>;
  /** Called with each number of pairs that were there before and are left out. */
  readonly onRepeated?: (count: number) => void;
  /** Ends it; it throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The most nodes and edges that the file can number. */
export const MOST_IN_FILE = 2 ** 32 - 16;
const HEAD = 8;
const PIECE = 2 ** 16;
/** Bytes of a read. */
const READ = 4 * 2 ** 20;

/**
 * Writes an adjacency file.
 * @throws CrawlError STORE_FULL; BAD_OUTPUT, also for more nodes or edges than it can number
 */
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

  /** Writes the list of `source`, and empty ones up to the next. */
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
  if (count <= MOST_IN_FILE) return;
  throw new CrawlError('BAD_OUTPUT', `expected a graph of at most ${MOST_IN_FILE} ${what}, found ${count}`, {
    hint: 'take a part of the table, by --host, --domain or --prefix, or the level of hosts',
  });
}

/**
 * What comes behind the head of an adjacency file, in large pieces, each valid until the next is asked for.
 * @param signal ends it; it throws the signal's reason
 * @param bytes of a piece; only tests need others than the default
 */
export async function* readPieces(
  { path }: Adjacency,
  signal: AbortSignal | undefined,
  bytes = READ,
): AsyncGenerator<Uint32Array> {
  const file = await onDisk(path, () => open(path, 'r'));
  try {
    const piece = Buffer.from(new ArrayBuffer(bytes - (bytes % 4)));
    const numbers = new Uint32Array(piece.buffer);
    for (let position = HEAD; ;) {
      signal?.throwIfAborted();
      let filled = 0;
      // A read may be short, and end within a number.
      while (filled < piece.length) {
        const at = filled;
        const { bytesRead } = await onDisk(path, () => file.read(piece, at, piece.length - at, position));
        if (bytesRead === 0) break;
        filled += bytesRead;
        position += bytesRead;
      }
      if (filled === 0) return;
      yield numbers.subarray(0, filled / 4);
    }
  } finally {
    await file.close();
  }
}

/**
 * The targets of each node by its number, ascending; each list is valid until the next is asked for. It holds the longest list, which has
 * each other node once at the most.
 * @param signal ends it; it throws the signal's reason
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
