import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { PYTHON_PACKAGES } from '../programs/python.js';

/** An S3-compatible server, from the Python package moto. */
export interface Moto extends AsyncDisposable {
  readonly url: string;
}

/** Starts a server. @param env environment of its process */
export async function startMoto(env: Readonly<Record<string, string>> = {}): Promise<Moto> {
  const child = spawn('python3', ['-m', 'moto.server', '-H', '127.0.0.1', '-p', '0'], {
    env: { ...process.env, ...env, PYTHONPATH: PYTHON_PACKAGES, PYTHONDONTWRITEBYTECODE: '1', PYTHONUNBUFFERED: '1' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const closed = once(child, 'close');
  const lines: string[] = [];
  for await (const line of createInterface(child.stderr)) {
    lines.push(line);
    const [, url] = /Running on (http:\/\/127\.0\.0\.1:\d+)/.exec(line) ?? [];
    if (url === undefined) continue;
    child.stderr.resume();
    return {
      url,
      async [Symbol.asyncDispose]() {
        child.kill('SIGKILL');
        await closed;
      },
    };
  }
  throw new Error(`moto did not start: ${lines.join('\n')}`);
}

/** What happens to a request: it goes to the server, or its connection is broken before or during its body. */
export type Fate = 'through' | 'broken';

/** A proxy to a server that can inspect and break requests. */
export interface Gate extends AsyncDisposable {
  readonly url: string;
  /** Decides on each request. Default: all go through. */
  fate: (request: IncomingMessage) => Fate;
}

/** Opens a proxy. */
export async function openGate(to: string): Promise<Gate> {
  const { hostname, port } = new URL(to);
  const server = createServer((asked, answer) => {
    if (gate.fate(asked) === 'broken') {
      asked.once('data', () => asked.socket.destroy());
      asked.once('end', () => asked.socket.destroy());
      return;
    }
    const { method, url, headers } = asked;
    const onward = request({ hostname, port, method, path: url, headers }, (answered) => {
      answer.writeHead(answered.statusCode ?? 500, answered.headers);
      answered.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    asked.on('error', () => onward.destroy());
    asked.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const gate: Gate = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fate: () => 'through',
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return gate;
}
