import type { HtmlDocument } from '../../plugin-api/index.js';
import { decodeText } from '../charset/charset.js';
import { rootName } from '../xml/xml-reader.js';
import { flattenShadowRoots, parseTree } from './html-tree.js';
import { MAX_ELEMENTS } from '../shared/limits.js';
import type { ParseSettings } from '../shared/parse-settings.js';

export interface DocumentInput {
  readonly content: Uint8Array;
  /** Media type in lower case, without parameters. */
  readonly contentType: string;
  /** The encoding that the parser used, by its WHATWG name. */
  readonly charset: string | undefined;
}

const XML = /^(?:application|text)\/(?:x-)?xml$|\+xml$/;

/**
 * The tree of an HTML or XHTML page, of at most {@link MAX_ELEMENTS} elements. Declarative shadow roots replace the children of their
 * hosts. Undefined: the page has another media type, or it took longer than `parser.timeout` to build the tree.
 */
export function htmlDocument(input: DocumentInput, settings: Pick<ParseSettings, 'parser'>): HtmlDocument | undefined {
  return htmlTree(input, settings)?.document;
}

/** Like {@link htmlDocument}. `truncated`: the page has more elements than the tree. */
export function htmlTree(
  { content, contentType, charset }: DocumentInput,
  { parser }: Pick<ParseSettings, 'parser'>,
): { readonly document: HtmlDocument; readonly truncated: boolean } | undefined {
  const xhtml = XML.test(contentType);
  if (!xhtml && contentType !== 'text/html') return undefined;
  const deadline = performance.now() + parser.timeout * 1000;
  const stated = charset === undefined ? undefined : `;charset=${charset}`;
  const { text } = decodeText(content, stated, parser.characterEncodingDefault);
  const expired = () => performance.now() > deadline;
  if (xhtml && contentType !== 'application/xhtml+xml' && rootName(text, expired) !== 'html') return undefined;
  const tree = parseTree(text, MAX_ELEMENTS, expired, xhtml);
  if (tree) flattenShadowRoots(tree);
  return tree;
}
