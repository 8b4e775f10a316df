import type { ErrorCode } from '../../errors/index.js';
import type { AppliedChanges, IndexChange, IndexEntry } from '../../plugin-api/index.js';
import type { WriterPlace } from './open-writer.js';

/** What a thread that writes is started with. */
export interface WriterThreadData {
  readonly place: WriterPlace;
  /** Names the table whose pages are written. */
  readonly table: string;
}

/** What a thread is asked for; it answers in turn. */
export type WriterRequest =
  | { readonly type: 'apply'; readonly changes: readonly IndexChange[] }
  | { readonly type: 'entries'; readonly after: string | undefined; readonly limit: number }
  | { readonly type: 'markWhole' }
  | { readonly type: 'close' };

/** An error as it crosses threads. */
export interface ThreadError {
  /** Absent of what is no error that was expected. */
  readonly code?: ErrorCode;
  readonly message: string;
  readonly hint?: string;
}

/** The first answer says that it is open; each other one belongs to the request that is first in line. */
export interface WriterReply {
  readonly isWhole: boolean;
  readonly entries?: readonly IndexEntry[];
  readonly applied?: AppliedChanges;
  readonly error?: ThreadError;
}
