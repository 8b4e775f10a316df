import { open } from 'node:fs/promises';
import { readPieces, type Adjacency } from './adjacency.js';
import { growingArray } from './growing-array.js';
import { onDisk } from './sort/index.js';

/** The lists of consecutive nodes, in memory. */
export interface AdjacencyBlock {
  /** The number of the first node. */
  readonly first: number;
  /** The targets of a node of the block, by its number; ascending. */
  targetsOf(node: number): Uint32Array;
}

/** An adjacency file that is read in any order, in blocks; one block is in memory at a time. */
export interface AdjacencyBlocks extends AsyncDisposable {
  readonly count: number;
  /** The block that holds the list of a node. */
  blockOf(node: number): number;
  /** The block read last is remembered, and no other. */
  read(block: number): Promise<AdjacencyBlock>;
}

/** Bytes before the first list. */
const HEAD = 8;
/** Numbers of a block: 32 MiB. */
const NUMBERS = 2 ** 23;

/**
 * Opens an adjacency file for reading in any order.
 * @param numbers of 32 bits in a block; a longer list is a block of its own
 * @throws CrawlError BAD_OUTPUT where the file cannot be read; so does `read`
 */
export async function openAdjacencyBlocks(adjacency: Adjacency, numbers = NUMBERS): Promise<AdjacencyBlocks> {
  const { starts, places } = await layOut(adjacency, numbers);
  const file = await onDisk(adjacency.path, () => open(adjacency.path, 'r'));
  let last: { readonly index: number; readonly block: AdjacencyBlock } | undefined;

  async function load(index: number): Promise<AdjacencyBlock> {
    const [place, size] = [places[index]!, places[index + 1]! - places[index]!];
    const bytes = new Uint8Array(size * 4);
    for (let filled = 0; filled < bytes.length;) {
      const { bytesRead } = await onDisk(adjacency.path, () =>
        file.read(bytes, filled, bytes.length - filled, HEAD + place * 4 + filled),
      );
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    const lists = new Uint32Array(bytes.buffer);
    const first = starts[index]!;
    const ofNode = new Uint32Array((starts[index + 1] ?? adjacency.nodes) - first);
    for (let node = 0, at = 0; node < ofNode.length; node++) {
      ofNode[node] = at;
      at += 1 + lists[at]!;
    }
    return {
      first,
      targetsOf(node) {
        const at = ofNode[node - first]!;
        return lists.subarray(at + 1, at + 1 + lists[at]!);
      },
    };
  }

  return {
    count: starts.length,
    blockOf(node) {
      let low = 0;
      let high = starts.length;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (starts[middle]! <= node) low = middle + 1;
        else high = middle;
      }
      return low - 1;
    },
    async read(index) {
      if (last?.index !== index) {
        last = undefined;
        last = { index, block: await load(index) };
      }
      return last.block;
    },
    [Symbol.asyncDispose]: () => file.close(),
  };
}

/** The first node of each block, and the number in the file with which its list begins; one place more, of the end. */
async function layOut(adjacency: Adjacency, numbers: number): Promise<{ starts: Uint32Array; places: Float64Array }> {
  const starts = growingArray((length) => new Uint32Array(length));
  const places = growingArray((length) => new Float64Array(length));
  let node = 0;
  let begin = 0;
  let next = 0;
  let position = 0;
  for await (const piece of readPieces(adjacency, undefined)) {
    for (; next < position + piece.length; node++) {
      const end = next + 1 + piece[next - position]!;
      if (node === 0 || end - begin > numbers) {
        starts.push(node);
        places.push(next);
        begin = next;
      }
      next = end;
    }
    position += piece.length;
  }
  places.push(next);
  return { starts: starts.values(), places: places.values() };
}
