export { CHANGE_KINDS, type ChangeKind, type ChangeSide } from '../core/index.js';
export type * from '../watch/public.js';
export type { ChangesOptions, Changes, ChangesSummary, LoggedRecord, HostRecord, PageRecord } from './read-changes.js';
export type { Incomplete, IncompleteReason } from './completeness.js';
export type { ChangeDiff, DiffLine, TextDiff } from './diff/diff-texts.js';
export type { MarkedMoment } from './marks.js';
