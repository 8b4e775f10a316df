import { createRecordSorter } from '../../graph/index.js';
import type { Target } from '../target/target.js';
import { INT, KEY_BYTES, KRAKE_FILES, int32, krakeKey, offsetRecord } from './formats.js';

/** A node before it has its NodeID. */
export interface NamedNode {
  /** Its URL; of a host or domain the name. */
  readonly name: string;
  /** Where its page is in the content file. Absent: it has none there. */
  readonly offset?: number;
}

/** What {@link writeMapping} takes. */
export interface Mapping {
  readonly count: number;
  /** As many as `count` says, in the order of the graph. */
  readonly nodes: AsyncIterable<NamedNode>;
  /** There is a content file, so an offset file is written. */
  readonly hasContent: boolean;
  /** An existing folder for what is sorted. */
  readonly folder: string;
  /** Ends it; it throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

const OFFSET = KEY_BYTES + INT;
/** Bytes of a node that is sorted, before its name: key, number in the graph, and offset, or all ones. */
const HEAD = OFFSET + 8;
const NO_OFFSET = 2n ** 64n - 1n;

/**
 * Writes URL mapping and list of URLs, and the offset file where there is content.
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
    await names.write(`${record.toString('utf8', HEAD)}\n`);
    nodeIds[record.readUInt32BE(KEY_BYTES)] = nodeId++;
  }
  await mapping.end();
  await offsets?.end();
  await names.end();
  return nodeIds;
}

function recordOf({ name, offset }: NamedNode, number: number): Buffer {
  const record = Buffer.alloc(HEAD + Buffer.byteLength(name));
  krakeKey(name).copy(record);
  record.writeUInt32BE(number, KEY_BYTES);
  record.writeBigUInt64BE(offset === undefined ? NO_OFFSET : BigInt(offset), OFFSET);
  record.write(name, HEAD);
  return record;
}
