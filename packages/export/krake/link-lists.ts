import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { CrawlError } from '../../errors/index.js';
import { createPairSorter, onDisk, readLists, type Adjacency } from '../../graph/index.js';
import { INT } from './formats.js';

/** Numbers of nodes, ascending. It is valid until the list of the next node is asked for. */
export interface LinkList {
  readonly length: number;
  /** The first ones, where there are too many to be held, in pieces of which each is valid until the next. Absent: all are in `last`. */
  readonly spooled?: () => AsyncGenerator<Uint32Array>;
  /** Those that are held. */
  readonly last: Uint32Array;
}

/** The links of a node. */
export interface NodeLinks {
  readonly inlinks: LinkList;
  readonly outlinks: LinkList;
}

/** Numbers of a list that are held, 1 MiB; of a longer one the others lie on the disk. */
const HELD = 2 ** 18;
/** Numbers that are read of these at a time. */
const PIECE = 2 ** 14;

/** How {@link linksOf} works. */
export interface LinkListOptions {
  /** An existing folder for what is sorted. */
  readonly folder: string;
  /** Ends the sorting; it throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Numbers of a list that are held; only tests need others than the default. */
  readonly held?: number;
}

/**
 * The edges of each node by its NodeID, sorted anew. What it holds of them does not grow with the links of a node, though the file
 * says how many there are before it says which.
 * @param nodeIds the NodeID of each node of the graph
 * @throws CrawlError STORE_FULL, BAD_OUTPUT
 */
export async function* linksOf(
  adjacency: Adjacency,
  nodeIds: Uint32Array,
  { folder, signal, held = HELD }: LinkListOptions,
): AsyncGenerator<NodeLinks> {
  const outgoing = createPairSorter(folder);
  const incoming = createPairSorter(folder);
  let row = 0;
  for await (const targets of readLists(adjacency, signal)) {
    const node = nodeIds[row++]!;
    for (const target of targets) {
      const out = outgoing.add(node, nodeIds[target]!);
      const back = incoming.add(nodeIds[target]!, node);
      if (out) await out;
      if (back) await back;
    }
  }
  await using inSpool = createSpool(join(folder, 'inlinks'));
  await using outSpool = createSpool(join(folder, 'outlinks'));
  const outlinks = listsOf(outgoing.sorted(), nodeIds.length, held, outSpool);
  for await (const inlinks of listsOf(incoming.sorted(), nodeIds.length, held, inSpool)) {
    yield { inlinks, outlinks: (await outlinks.next()).value as LinkList };
  }
}

/** From sorted pairs of second, first: the second ones of each first one from 0 on. */
async function* listsOf(
  pairs: AsyncIterable<Uint32Array>,
  count: number,
  held: number,
  spool: Spool,
): AsyncGenerator<LinkList> {
  const numbers = new Uint32Array(held);
  let used = 0;
  let node = 0;
  const list = (): LinkList => ({
    length: spool.length + used,
    ...(spool.length > 0 && { spooled: () => spool.read() }),
    last: numbers.subarray(0, used),
  });
  for await (const piece of pairs) {
    for (let i = 0; i < piece.length; i += 2) {
      for (; node < piece[i + 1]!; node++) {
        yield list();
        used = 0;
        spool.clear();
      }
      if (used === held) {
        await spool.add(numbers);
        used = 0;
      }
      numbers[used++] = piece[i]!;
    }
  }
  for (; node < count; node++) {
    yield list();
    used = 0;
    spool.clear();
  }
}

/** Numbers on the disk, those of one list after those of another in the same file. */
interface Spool {
  readonly length: number;
  add(numbers: Uint32Array): Promise<void>;
  read(): AsyncGenerator<Uint32Array>;
  clear(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The file is made when it is first needed, and goes with its folder. */
function createSpool(path: string): Spool {
  let file: FileHandle | undefined;
  let length = 0;
  return {
    get length() {
      return length;
    },
    async add(numbers) {
      file ??= await onDisk(path, () => open(path, 'w+'));
      const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
      for (let at = 0; at < bytes.length;) {
        const { bytesWritten } = await onDisk(path, () => file!.write(bytes, at, bytes.length - at, length * INT + at));
        at += bytesWritten;
      }
      length += numbers.length;
    },
    async *read() {
      const piece = new Uint32Array(PIECE);
      const bytes = new Uint8Array(piece.buffer);
      for (let at = 0; at < length;) {
        const wanted = Math.min(PIECE, length - at) * INT;
        for (let filled = 0; filled < wanted;) {
          const { bytesRead } = await onDisk(path, () => file!.read(bytes, filled, wanted - filled, at * INT + filled));
          if (bytesRead === 0) throw new CrawlError('INTERNAL', `expected ${length} numbers in ${path}, found ${at}`);
          filled += bytesRead;
        }
        yield piece.subarray(0, wanted / INT);
        at += wanted / INT;
      }
    },
    clear() {
      length = 0;
    },
    async [Symbol.asyncDispose]() {
      await file?.close();
    },
  };
}
