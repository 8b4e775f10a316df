export { createBoundedCache, type BoundedCache } from './bounded-cache.js';
