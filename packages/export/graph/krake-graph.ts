import { writeWebGraph } from '../krake/web-graph.js';
import { writeMapping, type NamedNode } from '../krake/write-mapping.js';
import { nameOf, type GraphFormatWriter, type GraphOutput } from './graph-format.js';

/** Krake's web graph with its URL mapping, and `urls.txt`; see `KRAKE_FILES`. Of hosts and domains the names are the keys. */
export const krakeFormat: GraphFormatWriter = {
  kind: 'folder',
  async write({ graph, target, folder, isAborted }) {
    const { count, adjacency } = graph;
    const nodeIds = await writeMapping(target, { count, nodes: namesOf(graph), hasContent: false, folder });
    if (!isAborted()) await writeWebGraph(target, { adjacency, nodeIds, folder, isAborted });
  },
};

async function* namesOf({ level, keys }: GraphOutput['graph']): AsyncGenerator<NamedNode> {
  for await (const group of keys()) for (const key of group) yield { name: nameOf(level, key) };
}
