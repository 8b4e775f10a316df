/**
 * What one page may cost, whatever it holds. A page that goes beyond is read up to the limit, not refused. Each is far
 * above what pages written for people reach within `http.contentLimit`.
 */

/**
 * Elements of the tree. Repairing misnested formatting elements lets the tree grow with the square of the page: 60 KB
 * can make 16 million elements.
 */
export const MAX_ELEMENTS = 200_000;

/** Different links of a page. */
export const MAX_LINKS = 50_000;

/** Characters of all links of a page together; short links on a long base grow far beyond the page. */
export const MAX_LINK_CHARACTERS = 16_000_000;

/** Characters of a title. */
export const MAX_TITLE_LENGTH = 2_000;

/** Entries of a page's metadata, and characters of the name and value of each. */
export const MAX_METADATA = 64;
export const MAX_METADATA_NAME = 64;
export const MAX_METADATA_VALUE = 1_000;

/** Seconds up to which a refresh counts as a redirect; a slower one lets people read the page first. */
export const MAX_REFRESH_DELAY = 5;
