export type { SendChangesOptions, SendEvent, SentChanges } from './send-changes.js';
export type { ChangeTarget, DeadLetter, Waiting } from './target-state.js';
