const MB = 1024 * 1024;

/** How the database of a table is opened. Write buffers are large because small ones stall writers while LevelDB compacts; two are in memory at times. */
export const DATABASE_OPTIONS = { keyEncoding: 'utf8', valueEncoding: 'view', writeBufferSize: 32 * MB } as const;
