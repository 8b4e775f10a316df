// Serves a made-up site on many loopback addresses, until it is ended. It needs all of 127.0.0.0/8, as on Linux.
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { addressOf, madeUpPage, SHAPES, type MadeUpName } from '../lib/made-up-site.js';
import { givenArgument, reply } from '../lib/worker.js';

export interface ServerTask {
  readonly madeUp: MadeUpName;
  readonly hosts: number;
  readonly pagesPerHost: number;
}

export interface Serving {
  readonly seeds: readonly string[];
  readonly count: string;
}

const { madeUp, ...site } = givenArgument<ServerTask>();
const addresses = Array.from({ length: site.hosts }, (_, host) => addressOf(host));
const hosts = new Map(addresses.map((address, host) => [address, host]));
let requests = 0;
let port = 0;
const listener: RequestListener = (request, response) => {
  requests += 1;
  const host = hosts.get(request.socket.localAddress ?? '') ?? 0;
  const page = madeUpPage({ ...site, shape: SHAPES[madeUp], port }, host, request.url ?? '/');
  response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' });
  response.end(page ?? 'Not found');
};
for (const address of addresses) port = await listen(listener, address, port);
const countPort = await listen((_, response) => void response.end(String(requests)), '127.0.0.1', 0);
const seeds = addresses.map((address) => `http://${address}:${port}/`);
reply({ seeds, count: `http://127.0.0.1:${countPort}/` } satisfies Serving);

async function listen(listener: RequestListener, address: string, port: number): Promise<number> {
  const server: Server = createServer({ keepAliveTimeout: 60_000 }, listener);
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, address, resolve));
  return (server.address() as AddressInfo).port;
}
