import { urlOf } from '../../../webtable/index.js';
import { CrawlError } from '../../errors/index.js';
import { readLists, type LinkGraph } from '../../graph/index.js';
import type { Target } from '../target/target.js';

/** What a format writes, and where. */
export interface GraphOutput {
  readonly graph: LinkGraph;
  readonly target: Target;
  /** An existing folder for what is sorted. */
  readonly folder: string;
  /** Ends it; it throws the signal's reason. */
  readonly signal: AbortSignal | undefined;
}

/** A format of the graph. */
export interface GraphFormatWriter {
  readonly kind: 'file' | 'folder';
  write(output: GraphOutput): Promise<void>;
}

/** What a person knows a node by: a URL, or the name of a host or domain. */
export function nameOf(level: LinkGraph['level'], key: string): string {
  if (level === 'page') return urlOf(key);
  // An address is not reversed.
  return /^\[|^\d+\.\d+\.\d+\.\d+$/.test(key) ? key : key.split('.').reverse().join('.');
}

/** The keys of the nodes in their order, in groups. */
export async function* keysOf({ graph, signal }: GraphOutput): AsyncGenerator<readonly string[]> {
  for await (const keys of graph.keys()) {
    signal?.throwIfAborted();
    yield keys;
  }
}

/** The edges, by source and then by target. */
export async function* edgesOf({
  graph,
  signal,
}: GraphOutput): AsyncGenerator<readonly [source: number, target: number]> {
  let source = 0;
  for await (const targets of readLists(graph.adjacency, signal)) {
    for (const target of targets) yield [source, target];
    source += 1;
  }
}

/** @throws CrawlError BAD_OUTPUT for a graph that is too large for a format which programs read as a whole */
export function checkSmall({ adjacency: { nodes, edges } }: LinkGraph, what: string, most: number): void {
  if (nodes <= most && edges <= most) return;
  throw new CrawlError(
    'BAD_OUTPUT',
    `expected a graph of at most ${most} nodes and edges for ${what}, found ${nodes} nodes and ${edges} edges`,
    { hint: 'take --level host or domain, or a part by --host, --domain or --prefix, or --format cc' },
  );
}
