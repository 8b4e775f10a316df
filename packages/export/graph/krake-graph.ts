import { writeWebGraph } from '../krake/web-graph.js';
import { writeMapping, type NamedNode } from '../krake/write-mapping.js';
import { keysOf, nameOf, type GraphFormatWriter, type GraphOutput } from './graph-format.js';

/**
 * Krake's web graph with its URL mapping, and `urls.txt`; see `KRAKE_FILES`. In a graph of hosts or domains, the names of hosts or domains
 * take the place of URLs.
 */
export const krakeFormat: GraphFormatWriter = {
  kind: 'folder',
  async write(output) {
    const { graph, target, folder, signal } = output;
    const { count, adjacency } = graph;
    const nodeIds = await writeMapping(target, { count, nodes: namesOf(output), hasContent: false, folder, signal });
    await writeWebGraph(target, { adjacency, nodeIds, folder, signal });
  },
};

async function* namesOf(output: GraphOutput): AsyncGenerator<NamedNode> {
  for await (const keys of keysOf(output)) for (const key of keys) yield { name: nameOf(output.graph.level, key) };
}
