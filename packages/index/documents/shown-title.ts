const MAX_TITLE_UTF16_UNITS = 200;

/** Returns the part of a title that an index stores for display: at most 200 UTF-16 units, without half of a surrogate pair at the end. */
export function shownTitle(title: string): string {
  return title.slice(0, MAX_TITLE_UTF16_UNITS).replace(/[\ud800-\udbff]$/, '');
}
