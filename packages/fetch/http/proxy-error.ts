/** The error if a proxy cannot be reached, refuses a request, or is not a proxy. It says nothing about the host of the page. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';

  /** `proxy_refused`: the proxy answers, but refuses to connect to this host. `proxy_failed`: any other failure. */
  readonly kind: 'proxy_failed' | 'proxy_refused';

  /** @param why one line. It must not contain the address of the proxy, because this may contain a password. */
  constructor(why: string, kind: 'proxy_failed' | 'proxy_refused' = 'proxy_failed') {
    super(`the proxy of http.proxy: ${why}`);
    this.kind = kind;
  }
}

/** Whether a request failed at the proxy. If so, its outcome says nothing about the page and its host. */
export function isProxyFailure({ code, http }: { readonly code: string; readonly http?: number }): boolean {
  return http === undefined && (code === 'proxy_failed' || code === 'proxy_refused');
}

/** Returns the error for a status with which the proxy answers. Returns undefined if the status means success. */
export function proxyRefusal(status: number): ProxyError | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status === 407) return new ProxyError('it requires another user and password (HTTP 407)');
  return new ProxyError(`it refuses the tunnel (HTTP ${status})`, 'proxy_refused');
}
