import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { HBaseCluster } from './hbase-cluster.js';

/** The addresses of a cluster, for processes that did not start it: plain data. */
export interface HBaseAccess {
  readonly gateways: readonly string[];
  readonly admin: string;
  readonly parts: readonly string[];
  /** The URL for killing and starting parts: `POST /kill/<part>`, `POST /restart/<part>`. */
  readonly control: string;
}

/** Lets other processes kill and start the parts of a cluster, by HTTP on loopback. */
export async function serveControl(cluster: HBaseCluster): Promise<{ access: HBaseAccess; server: Server }> {
  const about = { gateways: cluster.gateways, admin: cluster.admin, parts: cluster.parts };
  const server = createServer((request, response) => {
    const [, verb = '', part = ''] = (request.url ?? '').split('/');
    const answer = (status: number, value: unknown): void => void response.writeHead(status).end(JSON.stringify(value));
    if (request.method === 'GET') answer(200, { ...about, control: urlOf(server) });
    else if (verb !== 'kill' && verb !== 'restart') answer(404, `expected kill or restart, found "${verb}"`);
    else
      cluster[verb](part).then(
        () => answer(200, part),
        (error: Error) => answer(500, error.message),
      );
  });
  // A start takes long on a busy machine.
  server.requestTimeout = 0;
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { access: { ...about, control: urlOf(server) }, server };
}

const urlOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** Kills a part of a cluster as `kill -9` does, and waits until it is gone. */
export const killPart = (access: HBaseAccess, part: string): Promise<void> => post(access, 'kill', part);

export const restartPart = (access: HBaseAccess, part: string): Promise<void> => post(access, 'restart', part);

async function post({ control }: HBaseAccess, verb: string, part: string): Promise<void> {
  const answer = await fetch(`${control}/${verb}/${part}`, { method: 'POST', headers: { connection: 'close' } });
  if (!answer.ok) throw new Error(`${verb} ${part}: ${await answer.text()}`);
}
