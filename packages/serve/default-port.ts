/** The default port of a server. */
export const DEFAULT_PORT = 8420;
