/** The formats of `exportGraph`. */
export const GRAPH_FORMATS = ['cc', 'parquet', 'krake', 'graphml', 'dot', 'svg'] as const;

/** A format of `exportGraph`. */
export type GraphFormat = (typeof GRAPH_FORMATS)[number];
