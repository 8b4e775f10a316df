// Serves a folder, or a made-up site on many loopback addresses, until it is ended. The second needs all of 127.0.0.0/8, as on Linux.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { addressOf, madeUpPage, SHAPES, type MadeUpName } from '../lib/made-up-site.js';
import { givenArgument, reply } from '../lib/worker.js';

/** The site to serve. */
export type ServerTask = { readonly hosts: number } & (
  | { readonly folder: string }
  | { readonly madeUp: MadeUpName; readonly pagesPerHost: number }
);

/** Sent when it is ready. */
export interface Serving {
  readonly seeds: readonly string[];
  /** A URL that returns the number of requests so far. */
  readonly count: string;
}

const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html; charset=utf-8', '.pdf': 'application/pdf' };

const task = givenArgument<ServerTask>();
const addresses = Array.from({ length: task.hosts }, (_, host) => addressOf(host));
let requests = 0;
let port = 0;
const answer = 'folder' in task ? serveFolder(task.folder) : serveMadeUp(task);
const listener: RequestListener = (request, response) => {
  requests += 1;
  answer(request, response);
};
for (const address of addresses) port = await listen(listener, address, port);
const countPort = await listen((_, response) => void response.end(String(requests)), '127.0.0.1', 0);
const seeds = addresses.map((address) => `http://${address}:${port}/`);
reply({ seeds, count: `http://127.0.0.1:${countPort}/` } satisfies Serving);

/** Returns the port. */
async function listen(listener: RequestListener, address: string, port: number): Promise<number> {
  const server: Server = createServer({ keepAliveTimeout: 60_000 }, listener);
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, address, resolve));
  return (server.address() as AddressInfo).port;
}

function serveMadeUp({ madeUp, ...site }: Extract<ServerTask, { madeUp: MadeUpName }>): RequestListener {
  const hosts = new Map(addresses.map((address, host) => [address, host]));
  return (request, response) => {
    const host = hosts.get(request.socket.localAddress ?? '') ?? 0;
    const page = madeUpPage({ ...site, shape: SHAPES[madeUp], port }, host, request.url ?? '/');
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': TYPES['.html']! });
    response.end(page ?? 'Not found');
  };
}

function serveFolder(folder: string): RequestListener {
  return (request, response) => {
    const notFound = (): void => void response.writeHead(404).end('Not found');
    let path: string;
    try {
      path = normalize(decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname));
    } catch {
      return notFound();
    }
    if (path.endsWith('/')) path += 'index.html';
    const file = join(folder, path);
    stat(file).then((stats) => {
      if (!stats.isFile()) return notFound();
      response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'text/plain', 'content-length': stats.size });
      createReadStream(file).pipe(response);
    }, notFound);
  };
}
