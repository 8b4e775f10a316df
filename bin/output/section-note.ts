import type { LargeSection } from '../../packages/webcrawl/internal.js';

/** Returns a note on a part of a site that has most of the pages of a run, and tells how to exclude it. */
export function sectionNote({ prefix, pages, of }: LargeSection): string {
  return (
    `${Math.floor((100 * pages) / of)} % of the pages of this run are below ${prefix}. If that section is endless: ` +
    `--exclude '${patternOf(prefix)}' excludes it; webcrawl stats prefixes shows all parts of the site.`
  );
}

/** Returns a pattern that matches a URL and all URLs below it, quoted for a shell. */
function patternOf(prefix: string): string {
  return `^${prefix.replace(/[.*+?^$()[\]{}|\\]/g, '\\$&').replaceAll("'", '.')}([/?]|$)`;
}
