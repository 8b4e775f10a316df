/** The proxy did not do its part: it can not be reached, refuses, or is no proxy. It says nothing about the page's host. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';

  /** @param why one line, without the address of the proxy, which may hold a password */
  constructor(why: string) {
    super(`the proxy of http.proxy: ${why}`);
  }
}

/** What a proxy says by a status that is not its consent; undefined for a consent. */
export function proxyRefusal(status: number): string | undefined {
  if (status >= 200 && status < 300) return undefined;
  return status === 407 ? 'it wants another user and password (HTTP 407)' : `it refuses the tunnel (HTTP ${status})`;
}
