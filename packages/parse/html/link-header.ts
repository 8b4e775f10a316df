import { resolveLink, tryParseUrl } from '../../url/index.js';

/** Matches one parameter of a link, with the semicolon before it (RFC 8288, appendix B.3). */
const PARAMETER = /\s*;\s*([^\s=;,"]*)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"?|([^\s;,]*)))?/sy;

/** A link of a `Link` header. */
export interface HeaderLink {
  /** The URL as written. */
  readonly target: string;
  /** The relations in lower case. */
  readonly relations: readonly string[];
  readonly parameters: ReadonlyMap<string, string>;
}

/**
 * The links of a `Link` header (RFC 8288) in order. If the `anchor` of a link names another page, or a part of this page, the link is
 * left out.
 * @param page URL of the page
 */
export function* linksInHeader(header: string | undefined, page: string): Generator<HeaderLink> {
  for (let open = header?.indexOf('<') ?? -1; header !== undefined && open !== -1;) {
    const close = header.indexOf('>', open);
    if (close === -1) return;
    const { parameters, end } = readParameters(header, close + 1);
    const relations = (parameters.get('rel') ?? '').toLowerCase().split(/\s+/);
    if (isOf(page, parameters.get('anchor'))) yield { target: header.slice(open + 1, close), relations, parameters };
    open = header.indexOf('<', end);
  }
}

/** The target of the first `rel=canonical` in a `Link` header, as written; see {@link linksInHeader}. */
export function canonicalInHeader(header: string | undefined, page: string): string | undefined {
  for (const { target, relations } of linksInHeader(header, page)) if (relations.includes('canonical')) return target;
  return undefined;
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

/** Whether a link with this anchor applies to the page. */
function isOf(page: string, anchor: string | undefined): boolean {
  if (anchor === undefined) return true;
  const context = tryParseUrl(anchor, page);
  return context !== undefined && context.hash === '' && context.href === resolveLink('', page);
}
