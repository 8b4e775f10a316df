/** Maximum length of a shown title, in UTF-16 units. */
const LONGEST_TITLE = 200;

/** Returns the part of a title that an index stores for display: at most 200 UTF-16 units, without half of a surrogate pair at the end. */
export function shownTitle(title: string): string {
  return title.slice(0, LONGEST_TITLE).replace(/[\ud800-\udbff]$/, '');
}
