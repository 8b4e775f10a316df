import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createSecureContext, createServer as createTlsServer } from 'node:tls';
import { rawServer } from '../support/web/raw-server.js';
import { SELF_SIGNED } from '../support/web/self-signed.js';
import { html, notFound } from './web/answers.js';
import type { Behaviour, PortName } from './behaviour.js';
import { CERTIFICATES } from './certificates.js';

/** Serves all behaviours on loopback, by the requested host. */
export interface HostileWeb extends AsyncDisposable {
  readonly ports: Readonly<Record<PortName, number>>;
  /** `host/path` of all requests so far. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

/** The title of the page that is served beside the bad ones. */
export const GOOD_TITLE = 'A good page';

/** The name of the behaviour that owns a host: the label before `.test`. */
export function behaviourOf(host: string): string {
  return host.split('.').at(-2) ?? '';
}

export async function serveHostileWeb(behaviours: readonly Behaviour[]): Promise<HostileWeb> {
  const byName = new Map(behaviours.map((behaviour) => [behaviour.name, behaviour]));
  const times = new Map<string, number>();
  const requests: string[] = [];
  const next = (key: string): number => {
    const n = (times.get(key) ?? 0) + 1;
    times.set(key, n);
    return n;
  };

  const plain = await rawServer(({ path, headers }, socket) => {
    const host = (headers.host ?? '').replace(/:\d+$/, '');
    requests.push(host + path);
    const behaviour = byName.get(behaviourOf(host));
    const at = (other: string, otherPath = '/'): string => `http://${other}:${plain.port}${otherPath}`;
    const ask = { host, path, time: next(host + path), visit: next(host), headers, socket, at };
    if (path === '/robots.txt') return (behaviour?.robots ?? notFound)(ask);
    if (path === '/good') return html(`<title>${GOOD_TITLE}</title><p>Nothing wrong here.`);
    return (behaviour?.answer ?? notFound)(ask);
  });

  const others: { readonly server: Server; readonly sockets: Set<Socket> }[] = [];
  const open = async (server: Server): Promise<number> => {
    const sockets = new Set<Socket>();
    others.push({ server, sockets });
    server.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => sockets.delete(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  };
  const close = async (): Promise<void> => {
    await plain.close();
    for (const { server, sockets } of others.splice(0)) {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    }
  };

  const secure = await open(tlsServer((host, path) => requests.push(host + path)));
  const mute = await open(createServer());
  const shut = await open(createServer((socket) => socket.destroy()));
  const closed = await open(createServer());
  const last = others.pop();
  await new Promise((resolve) => last?.server.close(resolve));
  return {
    ports: { plain: plain.port, tls: secure, mute, shut, closed },
    requests,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** One page for every name, with a certificate that fits the name or not. */
function tlsServer(onRequest: (host: string, path: string) => void): Server {
  const { key } = CERTIFICATES;
  const contexts = {
    valid: createSecureContext({ key, cert: CERTIFICATES.valid }),
    expired: createSecureContext({ key, cert: CERTIFICATES.expired }),
    selfSigned: createSecureContext(SELF_SIGNED),
  };
  const certificateFor = (name: string) =>
    name === 'tls-expired.test'
      ? contexts.expired
      : name === 'tls-self-signed.test'
        ? contexts.selfSigned
        : contexts.valid;
  const server = createTlsServer(
    { key, cert: CERTIFICATES.valid, SNICallback: (name, done) => done(null, certificateFor(name)) },
    (socket) => {
      socket.on('error', () => socket.destroy());
      socket.on('data', (chunk: Buffer) => {
        const head = chunk.toString('latin1');
        const host = /^host: ([^:\r]*)/im.exec(head)?.[1] ?? '';
        const path = /^GET (\S+)/.exec(head)?.[1] ?? '';
        onRequest(host, path);
        socket.write(path === '/robots.txt' ? status404 : html(`<title>${GOOD_TITLE}</title>`));
      });
    },
  );
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  return server;
}

const status404 = 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n';
