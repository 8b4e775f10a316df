/** Names of elements by what the HTML Standard says of them, as far as the scanner asks. */

/** Elements whose content or place follows rules that the scanner does not know. */
export const NEVER_SURE = names('frame frameset image math nobr plaintext rb rp rt rtc template');

/** Elements of SVG that hold others of it and text, and neither HTML nor scripts. */
export const SVG_ELEMENTS = names(
  'circle clippath defs ellipse g line lineargradient marker mask path pattern polygon polyline radialgradient rect stop',
  'svg symbol text tspan use',
);

/** 13.2.6.4.16: what a list of choices is made of. */
export const SELECT_PARTS = names('optgroup option select');

/** 13.2.6.4.4: elements that stand in the head. */
export const HEAD_ELEMENTS = names('base basefont bgsound link meta noframes script style title');

/** Elements without content. */
export const VOID = names(
  'area base basefont bgsound br col embed hr img input keygen link meta param source track wbr',
);

/** Elements whose content is text in which nothing counts but their end tag; in the second, character references do. */
export const RAW_TEXT = names('iframe noembed noframes script style xmp');
export const RICH_TEXT = names('textarea title');

export const HEADINGS = names('h1 h2 h3 h4 h5 h6');

/** 13.2.6.4.7: start tags that close an open paragraph. */
export const CLOSES_P = names(
  'address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure footer form h1 h2',
  'h3 h4 h5 h6 header hgroup hr li listing main menu nav ol p pre search section summary table ul xmp',
);

/** 13.2.6.4.7: end tags before which others may be left out. */
export const BLOCK_ENDS = names(
  'address applet article aside blockquote button center dd details dialog dir div dl dt fieldset figcaption figure',
  'footer form header hgroup listing main marquee menu nav object ol pre search section summary ul',
);

/** 13.2.6.3: elements whose end tags may be left out. */
export const IMPLIED_END = names('dd dt li p');

/** 13.2.4.2: what bounds the search for an open element. */
export const SCOPE = names('applet caption html marquee object table td th');
export const BUTTON_SCOPE = new Set([...SCOPE, 'button']);
export const LIST_SCOPE = new Set([...SCOPE, 'ol', 'ul']);
export const TABLE_SCOPE = names('html table');

/** Tags that mean something within a table only. */
export const TABLE_TAGS = names('caption col colgroup tbody td tfoot th thead tr');

/** Elements of a table in which nothing stands but other parts of it. */
export const TABLE_PARTS = names('colgroup table tbody tfoot thead tr');

/** 13.2.4.2: elements at which the search for an open list item ends. */
export const SPECIAL = names(
  'address applet area article aside base basefont bgsound blockquote body br button caption center col colgroup dd',
  'details dir div dl dt embed fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html',
  'iframe img input keygen li link listing main marquee menu meta nav noembed noframes noscript object ol p param pre',
  'script search section source style summary table tbody td textarea tfoot th thead title tr track ul wbr xmp',
);

function names(...lines: string[]): ReadonlySet<string> {
  return new Set(lines.join(' ').split(' '));
}
