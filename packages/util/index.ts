export { createBoundedCache, type BoundedCache } from './bounded-cache.js';
export { createHeap, type Heap, type HeapItem } from './heap.js';
export { headerValues, mediaTypeOf } from './media-type.js';
export { VERSION } from './version.js';
