/** Maximum number of hits of one query that can be seen. */
export const MAX_HITS = 100;
