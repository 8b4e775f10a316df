export { dedup, type DedupOptions } from './dedup.js';
export { createSimhash, distanceOf, type Simhash } from './simhash.js';
