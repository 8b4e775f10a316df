export { dedup, type DedupOptions } from './dedup.js';
