/** The kind of the nodes of a graph: a node is a page, or all pages of a host, or all pages of a domain. */
export type Level = 'page' | 'host' | 'domain';

/** All levels, the finest first. */
export const LEVELS = ['page', 'host', 'domain'] as const satisfies readonly Level[];
