import type { Socket } from 'node:net';
import { Agent, Pool, buildConnector, type Dispatcher } from 'undici';
import { networkMessage } from './network-error.js';
import { ProxyError, proxyRefusal } from './proxy-error.js';
import { basic } from './request-headers.js';

/** How an HTTP proxy is used. */
export interface ProxyOptions {
  /** `http://user:password@host:port`; user and password are URL-encoded and go to the proxy only. */
  readonly proxy: string;
  /** Limits of connections, of those to the proxy as well. */
  readonly limits: Agent.Options;
  /** Milliseconds that connecting to the proxy may take. */
  readonly timeout: number;
  /** Does TLS with a server over the socket of a tunnel. */
  readonly tls: buildConnector.connector;
}

/**
 * A dispatcher that sends all requests over an HTTP proxy: those for `http` as they are, those for `https` in a tunnel
 * (CONNECT), of which the proxy sees the host and the port only. Where the proxy cannot be reached or refuses the tunnel,
 * requests fail with a {@link ProxyError}. Destroying it frees all connections.
 */
export function proxyDispatcher({ proxy, limits, timeout, tls }: ProxyOptions): {
  readonly dispatcher: Dispatcher;
  destroy(): Promise<void>;
} {
  const url = new URL(proxy);
  const login = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  const authorization = login === ':' ? [] : ['Proxy-Authorization', basic(login)];

  // The proxy is the operator's choice: wherever it is, it may be connected to.
  const connect = buildConnector({ timeout, autoSelectFamily: true });
  const pool = new Pool(url.origin, {
    ...limits,
    // The limit is for one server, and all of them are behind this one.
    connections: null,
    connect: (options, callback) =>
      connect(options, (error, socket) =>
        error ? callback(new ProxyError(networkMessage(error)), null) : callback(null, socket),
      ),
  });

  async function tunnelTo(target: string): Promise<Socket> {
    const { statusCode, socket } = await pool
      .connect({ path: target, headers: ['Host', target, ...authorization] })
      .catch((error: unknown) => {
        throw error instanceof ProxyError ? error : new ProxyError(networkMessage(error));
      });
    const refusal = proxyRefusal(statusCode);
    if (refusal === undefined) return socket as Socket;
    socket.on('error', () => undefined).destroy();
    throw refusal;
  }

  const tunnels = new Agent({
    ...limits,
    connect: (options, callback) => {
      const host = options.host ?? options.hostname;
      tunnelTo(options.port ? host : `${host}:443`).then(
        (httpSocket) => tls({ ...options, httpSocket }, callback),
        (error: Error) => callback(error, null),
      );
    },
  });

  const dispatcher = tunnels.compose((dispatch) => (options, handler) => {
    const target = new URL(options.path, options.origin);
    if (target.protocol !== 'http:') return dispatch(options, handler);
    const headers = [...(options.headers as readonly string[]), 'Host', target.host, ...authorization];
    return pool.dispatch({ ...options, origin: url.origin, path: target.href, headers }, handler);
  });
  return {
    dispatcher,
    destroy: () => Promise.all([pool.destroy(), tunnels.destroy()]).then(() => undefined),
  };
}
