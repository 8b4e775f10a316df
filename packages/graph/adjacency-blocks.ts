import { open } from 'node:fs/promises';
import { readPieces, type Adjacency } from './adjacency.js';
import { growingArray, onDisk, readFully } from '../scan/index.js';

export type AdjacencyBlocks = Awaited<ReturnType<typeof openAdjacencyBlocks>>;

const HEAD_BYTES = 8;
/** Maximum number of 32-bit numbers in a block: 32 MiB. */
const NUMBERS = 2 ** 23;

/**
 * Opens an adjacency file for reading in any order.
 * @param numbers maximum number of 32-bit numbers in a block; a longer list has a block of its own
 * @throws CrawlError BAD_OUTPUT when the file cannot be read; `read` throws it too
 */
export async function openAdjacencyBlocks(adjacency: Adjacency, numbers = NUMBERS) {
  const { starts, places } = await layOut(adjacency, numbers);
  const file = await onDisk(adjacency.path, () => open(adjacency.path, 'r'));
  let last: { readonly index: number; readonly block: Awaited<ReturnType<typeof load>> } | undefined;

  async function load(index: number) {
    const [place, size] = [places[index]!, places[index + 1]! - places[index]!];
    const bytes = new Uint8Array(size * 4);
    await readFully(adjacency.path, file, bytes, HEAD_BYTES + place * 4);
    const lists = new Uint32Array(bytes.buffer);
    const first = starts[index]!;
    const ofNode = new Uint32Array((starts[index + 1] ?? adjacency.nodes) - first);
    for (let node = 0, at = 0; node < ofNode.length; node++) {
      ofNode[node] = at;
      at += 1 + lists[at]!;
    }
    return {
      first,
      /** Returns the targets of a node in ascending order. The node must be in the block. */
      targetsOf(node: number): Uint32Array {
        const at = ofNode[node - first]!;
        return lists.subarray(at + 1, at + 1 + lists[at]!);
      },
    };
  }

  return {
    count: starts.length,
    blockOf(node: number): number {
      let low = 0;
      let high = starts.length;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (starts[middle]! <= node) low = middle + 1;
        else high = middle;
      }
      return low - 1;
    },
    /** Reads a block. Only the block that was read last stays in memory. */
    async read(index: number) {
      if (last?.index !== index) {
        last = undefined;
        last = { index, block: await load(index) };
      }
      return last.block;
    },
    [Symbol.asyncDispose]: (): Promise<void> => file.close(),
  };
}

/**
 * Returns the first node of each block, and the position of the list of this node in the file, counted in numbers. The last position is the
 * end of the file.
 */
async function layOut(adjacency: Adjacency, numbers: number): Promise<{ starts: Uint32Array; places: Float64Array }> {
  const starts = growingArray(Uint32Array);
  const places = growingArray(Float64Array);
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
