import type * as webcrawl from '../packages/webcrawl/internal.js';

export type Library = typeof webcrawl;

/** Loads the library. This takes most of the time of a short command, so it is not loaded for help and for wrong usage. */
export function library(): Promise<Library> {
  return import('../packages/webcrawl/internal.js');
}
