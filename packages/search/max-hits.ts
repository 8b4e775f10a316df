/** Hits that can be seen of one query. */
export const MAX_HITS = 100;
