import type { Part } from '../target/part-file.js';
import { checkSmall, edgesOf, keysOf, nameOf, type GraphFormatWriter, type GraphOutput } from './graph-format.js';

/** Nodes, or edges. Programs load such a file as a whole. */
const MAX_GRAPHML_ITEMS = 1_000_000;
/** Smaller, because programs draw a graph in DOT. */
const MAX_DOT_ITEMS = 100_000;

/** GraphML. The id of a node is its number in key order; each node has `key` and `name`. */
export const graphml: GraphFormatWriter = {
  kind: 'file',
  write: (output) =>
    writeText(output, {
      what: 'GraphML',
      most: MAX_GRAPHML_ITEMS,
      head: `<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="key" for="node" attr.name="key" attr.type="string"/>
<key id="name" for="node" attr.name="name" attr.type="string"/>
<graph id="${output.graph.level}s" edgedefault="directed">
`,
      node: (id, key, name) =>
        `<node id="n${id}"><data key="key">${xmlText(key)}</data><data key="name">${xmlText(name)}</data></node>\n`,
      edge: (source, target) => `<edge source="n${source}" target="n${target}"/>\n`,
      tail: '</graph>\n</graphml>\n',
    }),
};

export const dot: GraphFormatWriter = {
  kind: 'file',
  write: (output) =>
    writeText(output, {
      what: 'DOT',
      most: MAX_DOT_ITEMS,
      head: `digraph ${output.graph.level}s {\n`,
      node: (id, _, name) => `  n${id} [label=${dotText(name)}];\n`,
      edge: (source, target) => `  n${source} -> n${target};\n`,
      tail: '}\n',
    }),
};

interface TextFormat {
  readonly what: string;
  readonly most: number;
  readonly head: string;
  readonly node: (id: number, key: string, name: string) => string;
  readonly edge: (source: number, target: number) => string;
  readonly tail: string;
}

async function writeText(output: GraphOutput, format: TextFormat): Promise<void> {
  const { graph, target } = output;
  checkSmall(graph, format.what, format.most);
  const part: Part = await target.part('graph');
  await part.write(format.head);
  let id = 0;
  for await (const keys of keysOf(output)) {
    for (const key of keys) await part.write(format.node(id++, key, nameOf(graph.level, key)));
  }
  for await (const [source, to] of edgesOf(output)) await part.write(format.edge(source, to));
  await part.write(format.tail);
  await part.end();
}

export function xmlText(text: string): string {
  return text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}

function dotText(text: string): string {
  return `"${text.replace(/["\\]/g, (c) => `\\${c}`)}"`;
}
