/** Link graphs and PageRank from rows of any source. */

export type { Count } from '../../jobs/index.js';
export * from '../doors/graph.js';
