import { urlOf } from '../../core/index.js';
import { CrawlError } from '../../errors/index.js';
import { readLists, type LinkGraph } from '../../graph/index.js';
import type { Target } from '../target/target.js';

export interface GraphOutput {
  readonly graph: LinkGraph;
  readonly target: Target;
  readonly folder: string;
  /** When the signal is aborted, the export ends and throws the reason of the signal. */
  readonly signal: AbortSignal | undefined;
}

export interface GraphFormatWriter {
  readonly kind: 'file' | 'folder';
  write(output: GraphOutput): Promise<void>;
}

export function nameOf(level: LinkGraph['level'], key: string): string {
  if (level === 'page') return urlOf(key);
  // Labels of IP addresses are not reversed.
  return /^\[|^\d+\.\d+\.\d+\.\d+$/.test(key) ? key : key.split('.').reverse().join('.');
}

/** The keys of the nodes in order, in groups. */
export async function* keysOf({ graph, signal }: GraphOutput): AsyncGenerator<readonly string[]> {
  for await (const keys of graph.keys()) {
    signal?.throwIfAborted();
    yield keys;
  }
}

/** The edges, sorted by source and then by target. */
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

/** @throws CrawlError BAD_OUTPUT for more than `most` nodes or edges */
export function checkSmall({ adjacency: { nodes, edges } }: LinkGraph, what: string, most: number): void {
  if (nodes <= most && edges <= most) return;
  throw new CrawlError(
    'BAD_OUTPUT',
    `expected a graph of at most ${most} nodes and edges for ${what}, found ${nodes} nodes and ${edges} edges`,
    { hint: 'use --level host or domain, or select a part by --host, --domain or --prefix, or use --format cc' },
  );
}
