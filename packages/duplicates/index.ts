export { dedup, type DedupOptions } from './dedup.js';
export { createSimhash, distanceOf } from './simhash.js';
export type { UnmarkedHost } from './template-hosts.js';
