import { existsSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import { CrawlError } from '../../errors/index.js';
import { INT_BYTES, KEY_BYTES, KRAKE_FILES, OFFSET_BYTES, krakeKey, type KrakeLinks } from './formats.js';
import { openRecordIndex, type RecordIndex } from './record-index.js';

const decompress = promisify<Uint8Array, Buffer>(inflate);

/** A folder of Krake's files, open for reading. Close it. */
export interface Krake {
  /** Number of URLs. Their NodeIDs are 0 to `nodes` - 1. */
  readonly nodes: number;
  /** Number of URLs that have a page in the content file. */
  readonly pages: number;
  /** The NodeID of a URL, spelled as in the table. Undefined: the URL is not in the mapping. */
  nodeOf(url: string): Promise<number | undefined>;
  /** The URL of a node, from `urls.txt`. @throws CrawlError BAD_INPUT when that file is missing, or for an unknown node */
  urlOf(node: number): Promise<string>;
  /** The SHA-1 of the URL of a node. @throws CrawlError BAD_INPUT for an unknown node */
  keyOf(node: number): Promise<Uint8Array>;
  /** The source of a page by NodeID or URL. Undefined: the folder does not have the page. @throws CrawlError BAD_INPUT for a broken file */
  content(page: number | string): Promise<Uint8Array | undefined>;
  /** The edges of a node by NodeID or URL. Undefined for an unknown URL. The first call reads the whole graph once. */
  links(page: number | string): Promise<KrakeLinks | undefined>;
  /** Returns all pages of the content file with their offsets, from the start of the file to its end, or backwards. */
  contents(
    direction?: 'forwards' | 'backwards',
  ): AsyncGenerator<{ readonly offset: number; readonly source: Uint8Array }>;
  /** Closes the files. */
  close(): Promise<void>;
}

/**
 * Opens files that `webcrawl export krake` or Krake itself has written. Files of `webcrawl graph --format krake` can be opened too, but
 * have no pages. The first request for links, and the first request for a URL, each make an index in memory, with 8 bytes for every 256
 * nodes.
 * @throws CrawlError BAD_INPUT when a file is missing, or its size differs from its header
 */
export async function openKrake(folder: string): Promise<Krake> {
  const files = await openFiles(folder);
  try {
    return await readerOf(folder, files);
  } catch (error) {
    await files.close();
    throw error;
  }
}

async function readerOf(folder: string, files: KrakeFiles): Promise<Krake> {
  const { content, offsets, mapping, graph } = files;
  const nodes = (await mapping.int(0)) ?? -1;
  if (nodes < 0 || mapping.size !== INT_BYTES + KEY_BYTES * nodes) throw broken(mapping);
  if (offsets.size % OFFSET_BYTES !== 0) throw broken(offsets);
  if ((await graph.int(0)) !== nodes) throw broken(graph);
  const pages = offsets.size / OFFSET_BYTES;
  let graphIndex: Promise<RecordIndex> | undefined;
  let urlIndex: Promise<RecordIndex> | undefined;

  const keyOf = async (node: number): Promise<Buffer> => {
    if (!(Number.isInteger(node) && node >= 0 && node < nodes)) {
      throw new CrawlError('BAD_INPUT', `expected a NodeID from 0 to ${nodes - 1}, found ${node}`);
    }
    return mapping.read(INT_BYTES + KEY_BYTES * node, KEY_BYTES);
  };
  const nodeOf = async (url: string): Promise<number | undefined> => {
    const key = krakeKey(url);
    return find(nodes, async (node) => Buffer.compare(await keyOf(node), key));
  };
  const numberOf = async (page: number | string): Promise<number | undefined> => {
    if (typeof page === 'string') return nodeOf(page);
    await keyOf(page);
    return page;
  };
  const contentLocation = async (offset: number): Promise<{ source: Uint8Array; next: number }> => {
    const size = (await content.int(offset)) ?? -1;
    const end = offset + INT_BYTES + size;
    if (size < 0 || (await content.int(end)) !== size) throw broken(content);
    try {
      return { source: await decompress(await content.read(offset + INT_BYTES, size)), next: end + INT_BYTES };
    } catch (cause) {
      throw broken(content, cause);
    }
  };

  return {
    nodes,
    pages,
    nodeOf,
    keyOf,
    async urlOf(node) {
      await keyOf(node);
      const file = await files.urls();
      urlIndex ??= openRecordIndex(file, nodes, 0, (piece, at) => {
        const end = piece.indexOf(0x0a, at);
        return end < 0 ? undefined : end + 1 - at;
      });
      return (await (await urlIndex).record(node)).toString('utf8').slice(0, -1);
    },
    async content(page) {
      const node = await numberOf(page);
      if (node === undefined) return undefined;
      const entry = await find(pages, async (i) => (await offsets.int(OFFSET_BYTES * i))! - node);
      if (entry === undefined) return undefined;
      const offset = (await offsets.read(OFFSET_BYTES * entry + INT_BYTES, OFFSET_BYTES - INT_BYTES)).readBigInt64BE();
      return (await contentLocation(Number(offset))).source;
    },
    async links(page) {
      const node = await numberOf(page);
      if (node === undefined) return undefined;
      graphIndex ??= openRecordIndex(graph, nodes, INT_BYTES, (piece, at) => {
        return at + INT_BYTES > piece.length ? undefined : INT_BYTES * (2 + piece.readInt32BE(at));
      });
      const record = await (await graphIndex).record(node);
      const [count, inlinks] = [record.readInt32BE(0), record.readInt32BE(INT_BYTES)];
      if (inlinks < 0 || inlinks > count) throw broken(graph);
      const ids = Int32Array.from({ length: count }, (_, i) => record.readInt32BE(INT_BYTES * (2 + i)));
      return { inlinks: ids.subarray(0, inlinks), outlinks: ids.subarray(inlinks) };
    },
    async *contents(direction = 'forwards') {
      if (direction === 'forwards') {
        for (let offset = 0; offset < content.size;) {
          const { source, next } = await contentLocation(offset);
          yield { offset, source };
          offset = next;
        }
        return;
      }
      for (let end = content.size; end > 0;) {
        const size = await content.int(end - INT_BYTES);
        const offset = end - 2 * INT_BYTES - (size ?? Infinity);
        if (!(offset >= 0)) throw broken(content);
        yield { offset, source: (await contentLocation(offset)).source };
        end = offset;
      }
    },
    close: () => files.close(),
  };

  function broken(file: KrakeFile, cause?: unknown): CrawlError {
    return new CrawlError(
      'BAD_INPUT',
      `expected a complete file of Krake at ${join(folder, file.name)}, found a damaged one`,
      {
        hint: 'export it again: webcrawl export krake --force',
        ...(cause !== undefined && { cause }),
      },
    );
  }
}

/** Binary search: the index from 0 to `count` - 1 for which `compare` returns 0. Undefined: no index has this result. */
async function find(count: number, compare: (index: number) => Promise<number>): Promise<number | undefined> {
  for (let [from, to] = [0, count]; from < to;) {
    const middle = Math.floor((from + to) / 2);
    const order = await compare(middle);
    if (order === 0) return middle;
    if (order < 0) from = middle + 1;
    else to = middle;
  }
  return undefined;
}

export interface KrakeFile {
  readonly name: string;
  readonly size: number;
  /** @throws CrawlError BAD_INPUT when the file is too short */
  read(offset: number, length: number): Promise<Buffer>;
  /** An int32; undefined when the file is too short. */
  int(offset: number): Promise<number | undefined>;
}

function noFile(name: string): KrakeFile {
  const int = (): Promise<undefined> => Promise.resolve(undefined);
  return { name, size: 0, read: () => Promise.resolve(Buffer.alloc(0)), int };
}

type KrakeFiles = Awaited<ReturnType<typeof openFiles>>;

async function openFiles(folder: string) {
  const handles: FileHandle[] = [];
  const close = async (): Promise<void> => {
    for (const handle of handles.splice(0)) await handle.close();
  };
  const openOne = async (name: string): Promise<KrakeFile> => {
    const path = join(folder, name);
    const handle = await open(path, 'r').catch((cause: unknown) => {
      throw new CrawlError('BAD_INPUT', `expected a file of Krake at ${path}, found none that can be read`, { cause });
    });
    handles.push(handle);
    const { size } = await handle.stat();
    const read = async (offset: number, length: number): Promise<Buffer> => {
      if (offset < 0 || offset + length > size) {
        throw new CrawlError(
          'BAD_INPUT',
          `expected ${length} bytes at ${offset} of ${path}, found the end of the file at ${size}`,
        );
      }
      const bytes = Buffer.alloc(length);
      for (let at = 0; at < length;) {
        const { bytesRead } = await handle.read(bytes, at, length - at, offset + at);
        if (bytesRead === 0) throw new CrawlError('BAD_INPUT', `expected ${size} bytes in ${path}, found less`);
        at += bytesRead;
      }
      return bytes;
    };
    const int = async (offset: number): Promise<number | undefined> => {
      return offset < 0 || offset + INT_BYTES > size ? undefined : (await read(offset, INT_BYTES)).readInt32BE();
    };
    return { name, size, read, int };
  };
  let urls: Promise<KrakeFile> | undefined;
  // A folder with only a graph has neither a content file nor an offset file.
  const hasContent = [KRAKE_FILES.content, KRAKE_FILES.offsets].some((name) => existsSync(join(folder, name)));
  try {
    return {
      content: hasContent ? await openOne(KRAKE_FILES.content) : noFile(KRAKE_FILES.content),
      offsets: hasContent ? await openOne(KRAKE_FILES.offsets) : noFile(KRAKE_FILES.offsets),
      mapping: await openOne(KRAKE_FILES.mapping),
      graph: await openOne(KRAKE_FILES.graph),
      urls: () => (urls ??= openOne(KRAKE_FILES.urls)),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
