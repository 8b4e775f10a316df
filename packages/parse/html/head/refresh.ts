import type { PageElement } from '../page-element.js';

/** The content of a refresh. Without a URL, a refresh reloads the page itself. */
export interface Refresh {
  /** Delay in whole seconds. */
  readonly delay: number;
  readonly url: string | undefined;
}

/**
 * Reads the content of a `meta` refresh, or a `Refresh` header, by the rules of the HTML Standard: `0; url='/next'`, `5`, `0,/next`.
 * Undefined: the content is not a refresh.
 */
export function parseRefresh(content: string): Refresh | undefined {
  const match = /^[\t\n\f\r ]*(?:(\d+)|(?=\.))(?:\.[\d.]*)?(?=[\t\n\f\r ;,]|$)/.exec(content);
  if (!match) return undefined;
  const delay = Number(match[1] ?? 0);
  const rest = content.slice(match[0].length).replace(/^[\t\n\f\r ]*[;,]?[\t\n\f\r ]*/, '');
  if (rest === '') return { delay, url: undefined };
  const named = /^url[\t\n\f\r ]*=[\t\n\f\r ]*/i.exec(rest);
  const value = named ? rest.slice(named[0].length) : rest;
  const quote = value.charAt(0);
  if (quote !== '"' && quote !== "'") return { delay, url: value };
  const end = value.indexOf(quote, 1);
  return { delay, url: value.slice(1, end === -1 ? undefined : end) };
}

/** The refresh that a `meta` element states. Undefined: it states none. */
export function refreshOf(meta: PageElement): Refresh | undefined {
  if (meta.attribute('http-equiv')?.toLowerCase() !== 'refresh') return undefined;
  const content = meta.attribute('content');
  return content === undefined ? undefined : parseRefresh(content);
}
