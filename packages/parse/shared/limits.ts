/**
 * Limits on the cost of one page, for any content. A page that exceeds a limit is read up to the limit. Pages that people write stay far
 * below each limit.
 */

/**
 * Maximum number of elements of the tree. When the parser repairs misnested formatting elements, the tree may grow with the square of the
 * size of the page: 60 KB can make 16 million elements. The largest of 5,500 pages of manuals has 40,000 elements; some of these pages
 * exceed 2 MiB.
 */
export const MAX_ELEMENTS = 100_000;

/**
 * Maximum depth of nested `srcdoc` documents. Deeper documents are left out. {@link MAX_ELEMENTS} limits all trees of one page together.
 * The size of the page limits the total size of these documents, because they are attributes in the page.
 */
export const MAX_SRCDOC_DEPTH = 3;

/** Maximum number of different links of a page. */
export const MAX_LINKS = 50_000;

/** Maximum characters of all URLs of a page together. Short links with a long base can become far larger than the page. */
export const MAX_LINK_CHARACTERS = 16_000_000;

export const MAX_TITLE_LENGTH = 2_000;

/** Maximum number of headings of a page, and maximum characters of each. */
export const MAX_HEADINGS = 200;
export const MAX_HEADING_LENGTH = 300;

/** Maximum number of entries in a page's metadata, and maximum characters of each name and value. */
export const MAX_METADATA = 64;
export const MAX_METADATA_NAME = 64;
export const MAX_METADATA_VALUE = 1_000;

/** Maximum number of names of `meta` elements that are read, and maximum characters of each content; and maximum number of `link` elements. */
export const MAX_METAS = 500;
export const MAX_META_VALUE = 5_000;
export const MAX_HEAD_LINKS = 1_000;

/** Maximum bytes of the content of a page without links, if the page is considered an empty shell that scripts fill. */
export const MAX_SHELL_BYTES = 50;

/** Maximum delay in seconds of a refresh that is a redirect. With a longer delay, people can read the page first. */
export const MAX_REFRESH_DELAY = 5;

/** Maximum number of nested open elements in an XML document. Deeper elements are left out. */
export const MAX_XML_DEPTH = 1_000;

/** Maximum number of attributes of one element of an XML document. Reading ends at the first element with more attributes. */
export const MAX_XML_ATTRIBUTES = 100_000;

/** Maximum bytes of a sitemap, plain or unpacked, as in the sitemap protocol. */
export const MAX_SITEMAP_BYTES = 52_428_800;

/** Maximum characters of the summary of one feed entry that become text. */
export const MAX_SUMMARY_LENGTH = 10_000;

/** For the JSON-LD of a page: maximum characters and number of all blocks, nesting of a block, and number of objects that are searched. */
export const MAX_JSON_LD_LENGTH = 1_000_000;
export const MAX_JSON_LD_BLOCKS = 100;
export const MAX_JSON_LD_DEPTH = 40;
export const MAX_JSON_LD_NODES = 1_000;

/** Maximum number of versions of a page in other languages in its metadata. */
export const MAX_ALTERNATES = 64;

/** Maximum number of pages of a PDF to read, and of consecutive unreadable pages before reading stops. */
export const MAX_PDF_PAGES = 2_000;
export const MAX_PDF_BAD_PAGES = 10;
