import { resolveLink, tryParseUrl } from '../../url/index.js';

/** One parameter of a link, with the semicolon before it (RFC 8288, appendix B.3). */
const PARAMETER = /\s*;\s*([^\s=;,"]*)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"?|([^\s;,]*)))?/sy;

/**
 * The target of the first `rel=canonical` in a `Link` header (RFC 8288), as written there. A link whose `anchor` says
 * that it is one of another page, or of a part of this one, does not count.
 * @param page the URL of the page
 */
export function canonicalInHeader(header: string | undefined, page: string): string | undefined {
  for (let open = header?.indexOf('<') ?? -1; header !== undefined && open !== -1;) {
    const close = header.indexOf('>', open);
    if (close === -1) return undefined;
    const { parameters, end } = readParameters(header, close + 1);
    const relations = (parameters.get('rel') ?? '').toLowerCase().split(/\s+/);
    if (relations.includes('canonical') && isOf(page, parameters.get('anchor'))) return header.slice(open + 1, close);
    open = header.indexOf('<', end);
  }
  return undefined;
}

/** The parameters of a link, of each name the first, and where the next link begins: after a comma outside of quotes. */
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
    // What no link should have is passed over.
    while (at < header.length && !/[;,]/.test(header.charAt(at))) at++;
  }
  const comma = header.indexOf(',', at);
  return { parameters, end: comma === -1 ? header.length : comma };
}

/** Whether a link with this anchor is one of the page. */
function isOf(page: string, anchor: string | undefined): boolean {
  if (anchor === undefined) return true;
  const context = tryParseUrl(anchor, page);
  return context !== undefined && context.hash === '' && context.href === resolveLink('', page);
}
