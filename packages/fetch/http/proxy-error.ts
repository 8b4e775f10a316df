/** The proxy did not do its part: it cannot be reached, refuses, or is no proxy. It says nothing about the page's host. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';

  /** `proxy_refused`: it answers, but does not want to lead to this host. */
  readonly kind: 'proxy' | 'proxy_refused';

  /** @param why one line, without the address of the proxy, which may hold a password */
  constructor(why: string, kind: 'proxy' | 'proxy_refused' = 'proxy') {
    super(`the proxy of http.proxy: ${why}`);
    this.kind = kind;
  }
}

/** Whether a request failed at the proxy, so that its outcome says nothing about the page and its host. */
export function isProxyFailure({ code, http }: { readonly code: string; readonly http?: number }): boolean {
  return http === undefined && (code === 'proxy' || code === 'proxy_refused');
}

/** What a proxy says by a status that is not its consent; undefined for a consent. */
export function proxyRefusal(status: number): ProxyError | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status === 407) return new ProxyError('it wants another user and password (HTTP 407)');
  return new ProxyError(`it refuses the tunnel (HTTP ${status})`, 'proxy_refused');
}
