import type { DefaultTreeAdapterTypes as Tree } from 'parse5';
import type { Settings } from '../../../config/index.js';
import type { HtmlDocument } from '../../plugin-api/index.js';
import { resolveLink } from '../../url/index.js';
import { first } from './elements.js';
import { foldFormulas } from './formulas.js';
import { htmlDocument, type DocumentInput } from './html-document.js';
import { attribute } from './html-tree.js';
import { emptyByNames, isManual } from './main/by-names.js';
import { cutBody } from './main/cut.js';
import { keptBlocks } from './main/keep.js';
import { missingHeading } from './main/page-name.js';
import { readPage } from './main/page.js';
import { judge } from './main/verdict.js';

/** A page from which to extract the main content. */
type MainContentInput = {
  /** The base of relative links. */
  readonly url: string;
} & (DocumentInput | { /** The tree of the page. It is changed. */ readonly document: HtmlDocument });

/**
 * Returns the main content of a page: the body without the blocks of text that are not main content. If no heading of the content names
 * the page, an `h1` with the name of the page comes first. Elements are nested at most some
 * hundred deep. URLs of links and images are absolute. Undefined: the page has another media type or has no text, or parsing took longer
 * than `parser.timeout`.
 */
export function mainContent(input: MainContentInput, settings: Pick<Settings, 'parser'>): Tree.Element | undefined {
  const document = 'document' in input ? input.document : htmlDocument(input, settings);
  const body = document && first(document, ({ tagName }) => tagName === 'body');
  if (!body) return undefined;
  foldFormulas(body);
  const page = readPage(document, body);
  if (page.blocks.length === 0) return undefined;
  const options = { captions: settings.parser.keepCaptions, isManual: isManual(document, page) };
  // For a manual, chances are not needed: only the names of elements decide which blocks are kept.
  const chances = options.isManual ? new Float64Array(page.blocks.length) : judge(page);
  const kept = keptBlocks(page, chances, options);
  const base = first(document, (element) => element.tagName === 'base' && attribute(element, 'href') !== undefined);
  const baseUrl = resolveLink((base && attribute(base, 'href')) ?? '', input.url) ?? input.url;
  cutBody(body, page.blocks, kept, emptyByNames(page, kept), baseUrl);
  const heading = missingHeading(document, page, kept);
  if (heading) body.childNodes.unshift(heading);
  return body;
}
