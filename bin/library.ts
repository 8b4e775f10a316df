import type * as webcrawl from '../packages/webcrawl/index.js';

/** What the verbs work with. */
export type Library = typeof webcrawl;

/** Loads the library, which takes most of the time of a short command: help and wrong usage do without it. */
export function library(): Promise<Library> {
  return import('../packages/webcrawl/index.js');
}
