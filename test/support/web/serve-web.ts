import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FakePage } from './fake-web.js';

export interface ServedWeb {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  /** Requested paths in order, robots.txt excluded. */
  readonly requests: string[];
  close(): Promise<void>;
}

/** The page at a path now; undefined is 404. */
export type PageAt = (path: string) => FakePage | undefined | Promise<FakePage | undefined>;

/**
 * Serves pages by path on a free port of loopback. Other paths are 404. A page with an `etag` is answered with 304 if the client has it.
 * @param address another one of 127.0.0.0/8, for a host of its own
 */
export async function serveWeb(
  pages: Readonly<Record<string, FakePage>> | PageAt,
  address = '127.0.0.1',
): Promise<ServedWeb> {
  const pageAt: PageAt = typeof pages === 'function' ? pages : (path) => pages[path];
  const requests: string[] = [];
  const server: Server = createServer((request, response) => {
    const path = request.url ?? '/';
    if (path !== '/robots.txt') requests.push(path);
    void Promise.resolve(pageAt(path)).then((page) => {
      if (!page) return void response.writeHead(404).end();
      const isKnown = isSame(request, page);
      response.writeHead(isKnown ? 304 : (page.status ?? (page.location === undefined ? 200 : 301)), {
        'content-type': page.contentType ?? 'text/html',
        ...(page.location !== undefined && { location: page.location }),
        ...page.headers,
      });
      response.end(isKnown ? '' : (page.html ?? ''));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  return {
    origin: `http://${address}:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function isSame({ headers }: IncomingMessage, page: FakePage): boolean {
  const etag = page.headers?.['etag'];
  return etag !== undefined && headers['if-none-match'] === etag;
}
