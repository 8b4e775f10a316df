import type { Adjacency } from '../../graph/index.js';
import { late } from '../late.js';

export { LEVELS } from '../names.js';
export type * from '../../graph/public.js';

/** See `buildGraphs` of packages/graph. */
export const buildGraphs = late(async () => (await import('../../graph/index.js')).buildGraphs);
/** See `pageRank` of packages/graph. */
export const pageRank = late(async () => (await import('../../graph/index.js')).pageRank);
/** See `withWorkFolder` of packages/scan. */
export const withWorkFolder = late(async () => (await import('../../scan/index.js')).withWorkFolder);
/** See `readLists` of packages/graph. */
export async function* readLists(adjacency: Adjacency, signal?: AbortSignal): AsyncGenerator<Uint32Array> {
  yield* (await import('../../graph/index.js')).readLists(adjacency, signal);
}
