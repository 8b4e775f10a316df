/** The types of changes, their kinds, and how they are sent. */

export { CHANGE_KINDS } from '../names.js';
export type { ChangeKind, ChangeSide } from '../../../webtable/index.js';
export type * from '../../changes/public.js';
export type * from '../../watch/public.js';
