export type * from './public.js';
export { sendChanges } from './send-changes.js';
export { changeTargets, removeChangeTarget } from './target-state.js';
