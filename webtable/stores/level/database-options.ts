import type { DatabaseName } from './table-folder.js';

const MB = 1024 * 1024;
const ENCODINGS = { keyEncoding: 'utf8', valueEncoding: 'view' } as const;

/** How each database is opened. Write buffers are large because small ones stall writers while LevelDB compacts; two of each are in memory at times. */
export const DATABASE_OPTIONS = {
  hot: { ...ENCODINGS, writeBufferSize: 32 * MB },
  content: { ...ENCODINGS, writeBufferSize: 16 * MB, maxFileSize: 32 * MB },
} as const satisfies Record<DatabaseName, object>;
