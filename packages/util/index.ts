export { createBoundedCache, type BoundedCache } from './bounded-cache.js';
export { deadline, LONGEST_TIMER, type Late } from './deadline.js';
export { figures } from './figures.js';
export { createHeap, type Heap, type HeapItem } from './heap.js';
export { inflate, type Inflated } from './inflate.js';
export { headerValues, mediaTypeOf } from './media-type.js';
export { processMark, processOf } from './process-mark.js';
export { replaceUnseen } from './unseen.js';
export { VERSION } from './version.js';
