import { createRecordSorter } from '../../graph/index.js';
import { linksOf } from '../krake/export-krake.js';
import { INT, KEY_BYTES, KRAKE_FILES, checkInt32, int32, krakeGraph, krakeKey } from '../krake/formats.js';
import { nameOf, type GraphFormatWriter, type GraphOutput } from './graph-format.js';

/** Krake's web graph with its URL mapping, and `urls.txt`; see {@link KRAKE_FILES}. Of hosts and domains the names are the keys. */
export const krakeFormat: GraphFormatWriter = {
  kind: 'folder',
  async write(output) {
    const { graph, target, folder, isAborted } = output;
    checkInt32(graph.count, 'nodes');
    const nodeIds = await writeMapping(output);
    const part = await target.part(KRAKE_FILES.graph);
    for await (const piece of krakeGraph(graph.count, linksOf(graph.adjacency, nodeIds, folder))) {
      if (isAborted()) return;
      await part.write(piece);
    }
    await part.end();
  },
};

/** @returns the NodeID of each node */
async function writeMapping({ graph, target, folder }: GraphOutput): Promise<Uint32Array> {
  const sorter = createRecordSorter({ folder });
  let node = 0;
  for await (const keys of graph.keys()) {
    for (const key of keys) {
      const name = nameOf(graph.level, key);
      const number = Buffer.alloc(INT);
      number.writeUInt32BE(node++);
      await sorter.add(Buffer.concat([krakeKey(name), number, Buffer.from(name)]));
    }
  }
  const mapping = await target.part(KRAKE_FILES.mapping);
  const names = await target.part(KRAKE_FILES.urls);
  await mapping.write(int32(graph.count, 'nodes'));
  const nodeIds = new Uint32Array(graph.count);
  let nodeId = 0;
  for await (const record of sorter.sorted()) {
    await mapping.write(Buffer.from(record.subarray(0, KEY_BYTES)));
    await names.write(`${record.toString('utf8', KEY_BYTES + INT)}\n`);
    nodeIds[record.readUInt32BE(KEY_BYTES)] = nodeId++;
  }
  await mapping.end();
  await names.end();
  return nodeIds;
}
