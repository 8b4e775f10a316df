import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FakePage } from './fake-web.js';

export interface ServedWeb {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  /** Paths that were asked for, in order, robots.txt left out. */
  readonly requests: string[];
  close(): Promise<void>;
}

/** Serves pages by path on a free port of loopback. Anything else is 404. */
export async function serveWeb(pages: Readonly<Record<string, FakePage>>): Promise<ServedWeb> {
  const requests: string[] = [];
  const server: Server = createServer((request, response) => {
    const path = request.url ?? '/';
    if (path !== '/robots.txt') requests.push(path);
    const page = pages[path];
    if (!page) return void response.writeHead(404).end();
    const status = page.status ?? (page.location === undefined ? 200 : 301);
    response.writeHead(status, {
      'content-type': page.contentType ?? 'text/html',
      ...(page.location !== undefined && { location: page.location }),
      ...page.headers,
    });
    response.end(page.html ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
