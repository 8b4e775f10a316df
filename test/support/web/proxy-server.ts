import http from 'node:http';
import net from 'node:net';

/** One request as the proxy saw it. */
export interface ProxyRequest {
  readonly method: string;
  /** An absolute URL, or host and port of a tunnel. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: http.IncomingHttpHeaders;
}

export interface TestProxy {
  /** `127.0.0.1:<port>` */
  readonly host: string;
  readonly requests: readonly ProxyRequest[];
  openConnections(): number;
  close(): Promise<void>;
}

/**
 * An HTTP proxy on loopback. All requests and tunnels end at `127.0.0.1:<port>` for any host name, so that random names can be used.
 * @param refuse a status to answer with instead; for CONNECT also `hang` or `die`
 */
export async function testProxy(
  port: number,
  refuse: (request: ProxyRequest) => string | undefined = () => undefined,
): Promise<TestProxy> {
  const requests: ProxyRequest[] = [];
  const sockets = new Set<net.Socket>();
  const note = ({ method = '', url = '', headers }: http.IncomingMessage): string | undefined => {
    const request = { method, target: url, headers };
    requests.push(request);
    return refuse(request);
  };
  const server = http.createServer((request, response) => {
    const refusal = note(request);
    if (refusal !== undefined) return void response.writeHead(Number(refusal)).end();
    const { pathname, search } = new URL(request.url ?? '');
    const onward = http.request({ port, host: '127.0.0.1', path: pathname + search, headers: request.headers });
    onward.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    onward.end();
  });
  server.on('connect', (request, socket: net.Socket) => {
    socket.on('error', () => socket.destroy());
    const refusal = note(request);
    if (refusal === 'hang') return void socket.resume().on('end', () => socket.end());
    if (refusal === 'die') return void socket.destroy();
    if (refusal !== undefined) return void socket.end(`HTTP/1.1 ${refusal} No\r\n\r\n`);
    const onward = net.connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    onward.on('error', () => socket.destroy());
    socket.on('close', () => onward.destroy());
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address() as net.AddressInfo;
  return {
    host: `127.0.0.1:${address.port}`,
    requests,
    openConnections: () => sockets.size,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
