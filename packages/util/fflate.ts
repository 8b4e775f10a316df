/**
 * Loads the package fflate, which packs and unpacks zip archives. Rejects if the package is not installed. Callers must state the type of
 * the result, because public types must not name an optional package.
 */
export const loadFflate = (): Promise<unknown> => import('fflate');
