/** Where a server listens when nothing else is said. */
export const DEFAULT_PORT = 8420;
