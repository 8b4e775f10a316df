export const DEFAULT_PORT = 8420;
