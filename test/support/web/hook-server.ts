import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

/** A secret as receivers and senders have it. */
export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** A received message. */
export interface Received {
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly bytes: number;
}

/** A receiver of webhooks. It checks each signature with the library that receivers use. */
export interface HookServer {
  readonly url: string;
  /** All received messages, answered or not. */
  readonly received: readonly Received[];
  /** Messages whose signature is wrong. */
  readonly wrong: readonly string[];
  close(): Promise<void>;
}

/**
 * Starts a receiver.
 * @param answer answers a message, or leaves it without an answer. Default: 204 for all
 * @param port 0: any free port
 */
export async function hookServer(
  answer: (message: Received, response: ServerResponse) => void = (_, response) => response.writeHead(204).end(),
  { port = 0, secret = SECRET, skew = 0 } = {},
): Promise<HookServer> {
  const received: Received[] = [];
  const wrong: string[] = [];
  const webhook = new Webhook(secret);
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('error', () => undefined);
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const headers = request.headers as Record<string, string>;
      try {
        // The clock of the sender may be that of a test.
        if (skew === 0) webhook.verify(body, headers);
        else {
          const time = new Date(Number(headers['webhook-timestamp']) * 1000);
          const expected = webhook.sign(headers['webhook-id']!, time, body);
          if (!headers['webhook-signature']!.split(' ').includes(expected)) throw new Error('no signature matches');
        }
      } catch (error) {
        wrong.push(String(error));
      }
      const { type, data } = JSON.parse(body) as Pick<Received, 'type' | 'data'>;
      const message = { id: headers['webhook-id']!, type, data, bytes: Buffer.byteLength(body) };
      received.push(message);
      answer(message, response);
    });
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    wrong,
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
}
