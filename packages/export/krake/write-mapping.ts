import { createRecordSorter } from '../../scan/index.js';
import type { Target } from '../target/target.js';
import { INT_BYTES, KEY_BYTES, KRAKE_FILES, int32, krakeKey, offsetRecord } from './formats.js';

/** A node that has no NodeID yet. */
export interface NamedNode {
  /** The URL of a page, or the name of a host or domain. */
  readonly name: string;
  /** Offset of the page in the content file. Absent: the page is not in the content file. */
  readonly offset?: number;
}

interface Mapping {
  readonly count: number;
  /** Exactly `count` nodes, in the order of the graph. */
  readonly nodes: AsyncIterable<NamedNode>;
  /** Whether there is a content file. If there is one, an offset file is written too. */
  readonly hasContent: boolean;
  readonly folder: string;
  /** When the signal is aborted, the export ends and throws the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

const OFFSET = KEY_BYTES + INT_BYTES;
/**
 * Number of bytes before the name in a sorted record: key, number in the graph, and offset. An offset with all bits set means that the page
 * has no offset.
 */
const HEAD_BYTES = OFFSET + 8;
const NO_OFFSET = 2n ** 64n - 1n;

/**
 * Writes the URL mapping and the list of URLs, and the offset file if there is a content file.
 * @returns the NodeID of each node of the graph
 * @throws CrawlError BAD_OUTPUT, also for more than 2^31 - 1 nodes; STORE_FULL
 */
export async function writeMapping(
  target: Target,
  { count, nodes, hasContent, folder, signal }: Mapping,
): Promise<Uint32Array> {
  const head = int32(count, 'nodes');
  const sorter = createRecordSorter({ folder });
  let number = 0;
  for await (const node of nodes) {
    signal?.throwIfAborted();
    const wait = sorter.add(recordOf(node, number++));
    if (wait) await wait;
  }
  const mapping = await target.part(KRAKE_FILES.mapping);
  const offsets = hasContent ? await target.part(KRAKE_FILES.offsets) : undefined;
  const names = await target.part(KRAKE_FILES.urls);
  await mapping.write(head);
  const nodeIds = new Uint32Array(count);
  let nodeId = 0;
  for await (const record of sorter.sorted()) {
    signal?.throwIfAborted();
    const offset = record.readBigUInt64BE(OFFSET);
    await mapping.write(Buffer.from(record.subarray(0, KEY_BYTES)));
    if (offset !== NO_OFFSET) await offsets?.write(offsetRecord(nodeId, Number(offset)));
    await names.write(`${record.toString('utf8', HEAD_BYTES)}\n`);
    nodeIds[record.readUInt32BE(KEY_BYTES)] = nodeId++;
  }
  await mapping.end();
  await offsets?.end();
  await names.end();
  return nodeIds;
}

function recordOf({ name, offset }: NamedNode, number: number): Buffer {
  const record = Buffer.alloc(HEAD_BYTES + Buffer.byteLength(name));
  krakeKey(name).copy(record);
  record.writeUInt32BE(number, KEY_BYTES);
  record.writeBigUInt64BE(offset === undefined ? NO_OFFSET : BigInt(offset), OFFSET);
  record.write(name, HEAD_BYTES);
  return record;
}
