export type * from './public.js';
export { loadDiffer, readChange, readChanges } from './read-changes.js';
export { recordFilter } from './record-filter.js';
export { mark, marks, unmark } from './marks.js';
export { logPlaces, type LogPlaces } from './log-places.js';
export { changeDetails, hostText } from './change-details.js';
