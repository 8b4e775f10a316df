import type { TypedColumn } from '../pages/page-columns.js';
import { loadParquet } from '../pages/parquet-file.js';
import { edgesOf, keysOf, nameOf, type GraphFormatWriter } from './graph-format.js';

const NODES: readonly TypedColumn[] = [
  { name: 'id', type: 'INT64' },
  { name: 'key', type: 'STRING' },
  { name: 'name', type: 'STRING' },
];
const EDGES: readonly TypedColumn[] = [
  { name: 'src', type: 'INT64' },
  { name: 'dst', type: 'INT64' },
];

/**
 * Loads the writer of graphs in Parquet. `nodes.parquet` has id, key and name of each node; the name is a URL, a host or a domain.
 * `edges.parquet` has the ids of source and target.
 * @throws CrawlError MISSING_PACKAGE
 */
export async function parquetGraph(): Promise<GraphFormatWriter> {
  const parquet = await loadParquet();
  return {
    kind: 'folder',
    async write(output) {
      const { graph, target } = output;
      const nodes = parquet(await target.part('nodes.parquet'), NODES);
      let id = 0n;
      for await (const keys of keysOf(output)) {
        for (const key of keys) await nodes.add([id++, key, nameOf(graph.level, key)]);
      }
      await nodes.end();
      const edges = parquet(await target.part('edges.parquet'), EDGES);
      for await (const [source, to] of edgesOf(output)) await edges.add([BigInt(source), BigInt(to)]);
      await edges.end();
    },
  };
}
