/**
 * What one page may cost, whatever it holds. A page that goes beyond is read up to the limit, not refused. Each is far
 * above what pages written for people reach within `http.contentLimit`.
 */

/**
 * Elements of the tree. Repairing misnested formatting elements lets the tree grow with the square of the page: 60 KB
 * can make 16 million elements. Of 5,500 pages of manuals, some beyond 2 MiB, the largest has 40,000.
 */
export const MAX_ELEMENTS = 100_000;

/**
 * `srcdoc` documents within one another; a deeper one is left out. Those of a page of which trees are made may have
 * {@link MAX_ELEMENTS} elements together, and the size of all is that of attributes of the page.
 */
export const MAX_SRCDOC_DEPTH = 3;

/** Different links of a page. */
export const MAX_LINKS = 50_000;

/** Characters of all links of a page together; short links on a long base grow far beyond the page. */
export const MAX_LINK_CHARACTERS = 16_000_000;

/** Characters of a title. */
export const MAX_TITLE_LENGTH = 2_000;

/** Headings of a page, and characters of each. */
export const MAX_HEADINGS = 200;
export const MAX_HEADING_LENGTH = 300;

/** Entries of a page's metadata, and characters of the name and value of each. */
export const MAX_METADATA = 64;
export const MAX_METADATA_NAME = 64;
export const MAX_METADATA_VALUE = 1_000;

/** Seconds up to which a refresh counts as a redirect; a slower one lets people read the page first. */
export const MAX_REFRESH_DELAY = 5;

/** Elements open at once in an XML document; what is beyond is left out. */
export const MAX_XML_DEPTH = 1_000;

/** Bytes of a sitemap, plain or once unpacked: what the sitemap protocol allows. */
export const MAX_SITEMAP_BYTES = 52_428_800;

/** Characters of the summary of one feed entry that become text. */
export const MAX_SUMMARY_LENGTH = 10_000;

/** Characters of one JSON-LD block; a longer one is not read. Blocks read, and objects looked at in each. */
export const MAX_JSON_LD_LENGTH = 100_000;
export const MAX_JSON_LD_BLOCKS = 10;
export const MAX_JSON_LD_NODES = 50;

/** Versions of a page in other languages. */
export const MAX_ALTERNATES = 64;

/** Pages of a PDF that are read, and pages in a row that cannot be, after which no more are tried. */
export const MAX_PDF_PAGES = 2_000;
export const MAX_PDF_BAD_PAGES = 10;
