import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { readLists } from '../../graph/index.js';
import { keysOf, nameOf, type GraphFormatWriter, type GraphOutput } from './graph-format.js';

/**
 * The layout of Common Crawl's web graphs. Each line of `vertices.txt.gz` is a node: its number, a tab and its key, and for a page also its
 * URL. Nodes are sorted by key. Each line of `edges.txt.gz` is an edge: the numbers of its source and its target.
 */
export const commonCrawl: GraphFormatWriter = {
  kind: 'folder',
  async write(output) {
    await writeGzip(output, 'vertices.txt.gz', vertexLines(output));
    await writeGzip(output, 'edges.txt.gz', edgeLines(output));
  },
};

async function* vertexLines(output: GraphOutput): AsyncGenerator<string> {
  const { level } = output.graph;
  let node = 0;
  for await (const keys of keysOf(output)) {
    let text = '';
    for (const key of keys) {
      text += level === 'page' ? `${node}\t${key}\t${nameOf('page', key)}\n` : `${node}\t${key}\n`;
      node += 1;
    }
    yield text;
  }
}

const PIECE = 2 ** 16;

async function* edgeLines({ graph, signal }: GraphOutput): AsyncGenerator<string> {
  let text = '';
  let source = 0;
  for await (const targets of readLists(graph.adjacency, signal)) {
    for (const target of targets) text += `${source}\t${target}\n`;
    source += 1;
    if (text.length < PIECE) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

async function writeGzip({ target }: GraphOutput, name: string, pieces: AsyncIterable<string>) {
  const part = await target.part(name);
  await pipeline(Readable.from(pieces), createGzip({ level: 4 }), async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) await part.write(chunk);
  });
  await part.end();
}
