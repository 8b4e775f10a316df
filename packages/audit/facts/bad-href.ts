import { tryParseUrl } from '../../core/index.js';
import { FLAWS } from './facts.js';

const [NOT_A_URL, TWO_SCHEMES, MISSPELT, NO_HOST, TEMPLATE] = FLAWS.keys();
/** Schemes that are at most one edit away from http or https and are not misspellings. */
const REAL: ReadonlySet<string> = new Set(['http', 'https', 'shttp']);

/**
 * A template that was not filled in. In a query, encoded braces count only if they are the whole value, because URLs of playgrounds carry
 * code there.
 */
const TEMPLATES = /\{\{|<%|\$\{|^[^?]*%7b%7b|[?&][^=&]*=%7b%7b[\w.%-]*?%7d%7d(?:[&#]|$)/i;

/**
 * Returns the fault of a link that cannot lead to its intended target.
 * @param raw the link as written, trimmed
 * @param base the absolute URL to which the link is relative
 * @param url the link as parsed; absent: it is parsed here
 * @returns an index into `FLAWS`; undefined: the link has no fault
 */
export function flawOfHref(raw: string, base: string, url = tryParseUrl(raw, base)): number | undefined {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(raw)?.[1]?.toLowerCase();
  const isOther = scheme !== undefined && scheme !== 'http' && scheme !== 'https';
  if (isOther && !REAL.has(scheme) && (isOneEdit(scheme, 'http') || isOneEdit(scheme, 'https'))) return MISSPELT;
  if (isOther) return undefined;
  if (TEMPLATES.test(raw)) return TEMPLATE;
  if (!url) return NOT_A_URL;
  if (/^https?:\/\/https?:?\/\//i.test(raw)) return TWO_SCHEMES;
  if (/^(?:undefined|null)$/.test(url.hostname)) return NO_HOST;
  return undefined;
}

/** Whether two words differ by one edit: a letter is added, removed, changed, or swapped with the next letter. */
export function isOneEdit(a: string, b: string): boolean {
  if (a === b || Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  if (left.length <= 1 && right.length <= 1) return true;
  return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0];
}
