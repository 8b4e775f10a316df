import type { HtmlDocument } from '../../plugin-api/index.js';
import { decodeText } from '../charset/charset.js';
import { parseTree } from './html-tree.js';
import { MAX_ELEMENTS } from '../shared/limits.js';
import type { ParseSettings } from '../shared/parse-settings.js';

/** What {@link htmlDocument} needs of a page. */
export interface DocumentInput {
  readonly content: Uint8Array;
  /** Lower case, without parameters. */
  readonly contentType: string;
  /** The encoding that the parser used, a WHATWG name. */
  readonly charset: string | undefined;
}

/**
 * The tree of an HTML or XHTML page, of at most {@link MAX_ELEMENTS} elements. Undefined for other media types, and where
 * it was not done within `parser.timeout`.
 * @param clock milliseconds from any origin
 */
export function htmlDocument(
  { content, contentType, charset }: DocumentInput,
  { parser }: Pick<ParseSettings, 'parser'>,
  clock: () => number = () => performance.now(),
): HtmlDocument | undefined {
  const xhtml = contentType === 'application/xhtml+xml';
  if (!xhtml && contentType !== 'text/html') return undefined;
  const deadline = clock() + parser.timeout * 1000;
  const stated = charset === undefined ? undefined : `;charset=${charset}`;
  const { text } = decodeText(content, stated, parser.characterEncodingDefault);
  return parseTree(text, MAX_ELEMENTS, () => clock() > deadline, xhtml)?.document;
}
