import { versionOf } from '../patterns/index.js';
import type { Plugin } from '../plugin-api/index.js';
import { originOf } from '../url/index.js';

/** Matches a path segment, or a name or value in the query, that ends a session: `/logout`, `/users/sign_out`, `?action=logout`. */
const LOG_OUT = /[/?&;=:](user)?(log|sign)[-_]?(out|off)(\.\w+)?([/?&;=#]|$)/i;

/** Rejects URLs that log out of an origin, so that a crawl with a cookie keeps its session. */
export function logoutUrlFilter(origins: readonly string[]): Plugin {
  const known = new Set(origins.map((origin) => new URL(origin).origin));
  return {
    name: 'urlfilter-logout',
    version: versionOf([...known]),
    filterUrl: (url) => !LOG_OUT.test(url) || !known.has(originOf(url)) || 'it logs out, and http.cookies is set',
  };
}
