import type { Socket } from 'node:net';
import type { Agent as Agents, Dispatcher, buildConnector as connectors } from 'undici';
import { loadUndici } from '../address/load-undici.js';
import { networkMessage } from './network-error.js';
import { ProxyError, proxyRefusal } from './proxy-error.js';
import { basic } from './request-headers.js';

interface ProxyOptions {
  /** The URL of the proxy, `http://user:password@host:port`. User and password are URL-encoded. They are sent only to the proxy. */
  readonly proxy: string;
  /** Limits of connections, also of connections to the proxy. */
  readonly limits: Agents.Options;
  /** Maximum milliseconds until the connection to the proxy is made. */
  readonly timeout: number;
  /** Starts TLS with a server over the tunnel through the proxy. */
  readonly tls: connectors.connector;
}

/**
 * Makes a dispatcher that sends all requests through an HTTP proxy. Requests for `http` are sent to the proxy as they are. Requests for
 * `https` use a tunnel (CONNECT), and the proxy sees only host and port. If the proxy cannot be reached or refuses the tunnel, requests
 * fail with a {@link ProxyError}. If the dispatcher is destroyed, all connections are closed.
 */
export function proxyDispatcher({ proxy, limits, timeout, tls }: ProxyOptions): {
  readonly dispatcher: Dispatcher;
  destroy(): Promise<void>;
} {
  const { Agent, Pool, buildConnector } = loadUndici();
  const url = new URL(proxy);
  const login = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  const authorization = login === ':' ? [] : ['Proxy-Authorization', basic(login)];

  // The operator chose the proxy, so any address is allowed for it.
  const connect = buildConnector({ timeout, autoSelectFamily: true });
  const pool = new Pool(url.origin, {
    ...limits,
    // There is no limit, because all servers share the connections to the proxy.
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
