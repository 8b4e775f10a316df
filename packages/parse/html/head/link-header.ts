import { resolveLink, tryParseUrl } from '../../../url/index.js';
import { tokens } from '../page-element.js';
import { headLink, type HeadLink } from './head-link.js';

/** Matches one parameter of a link, with the semicolon before it (RFC 8288, appendix B.3). */
const PARAMETER = /\s*;\s*([^\s=;,"]*)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"?|([^\s;,]*)))?/sy;

/**
 * The links of a `Link` header (RFC 8288) in order, with absolute URLs. A link is left out if its `anchor` names another page, or a part of
 * this page, or if a crawl cannot fetch it.
 * @param page URL of the page
 */
export function* linksInHeader(header: string | undefined, page: string): Generator<HeadLink> {
  for (let open = header?.indexOf('<') ?? -1; header !== undefined && open !== -1;) {
    const close = header.indexOf('>', open);
    if (close === -1) return;
    const { parameters, end } = readParameters(header, close + 1);
    const target = resolveLink(header.slice(open + 1, close), page) ?? '';
    const link = headLink(tokens(parameters.get('rel')), target, (name) => parameters.get(name), 'header');
    if (link && isOf(page, parameters.get('anchor'))) yield link;
    open = header.indexOf('<', end);
  }
}

/**
 * Reads the parameters of a link. If a name is repeated, the first value is used. Also returns the start of the next link, which is after
 * a comma outside quotes.
 */
function readParameters(header: string, from: number): { parameters: ReadonlyMap<string, string>; end: number } {
  const parameters = new Map<string, string>();
  let at = from;
  for (;;) {
    PARAMETER.lastIndex = at;
    const found = PARAMETER.exec(header);
    if (!found) break;
    at = PARAMETER.lastIndex;
    const name = (found[1] ?? '').toLowerCase();
    const value = found[2]?.replace(/\\(.)/gs, '$1') ?? found[3] ?? '';
    if (!parameters.has(name)) parameters.set(name, value);
    // Skips characters that are not allowed here.
    while (at < header.length && !/[;,]/.test(header.charAt(at))) at++;
  }
  const comma = header.indexOf(',', at);
  return { parameters, end: comma === -1 ? header.length : comma };
}

function isOf(page: string, anchor: string | undefined): boolean {
  if (anchor === undefined) return true;
  const context = tryParseUrl(anchor, page);
  return context !== undefined && context.hash === '' && context.href === resolveLink('', page);
}
