import { EventEmitter } from 'node:events';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { until } from '../support/events.js';
import { createUnsent } from '../../packages/serve/http/unsent.js';

/** An answer that no client reads. */
function answer() {
  const dropped: string[] = [];
  const response = Object.assign(new EventEmitter(), {
    writableFinished: false,
    destroy() {
      dropped.push('dropped');
      response.emit('close');
    },
  });
  return { response: response as unknown as ServerResponse, emit: (event: string) => response.emit(event), dropped };
}

test('if clients do not read their answers, those that wait longest are dropped, but never the newest', () => {
  const unsent = createUnsent(100);
  const [a, b, c, d] = [answer(), answer(), answer(), answer()];
  unsent.add(a.response, 40);
  unsent.add(b.response, 40);
  b.emit('finish');
  b.emit('close');
  unsent.add(c.response, 60);
  expect(a.dropped).toEqual([]);
  unsent.add(d.response, 30);
  expect([a, b, c, d].map(({ dropped }) => dropped.length)).toEqual([1, 0, 0, 0]);
  const large = answer();
  unsent.add(large.response, 1000);
  expect([c, d, large].map(({ dropped }) => dropped.length)).toEqual([1, 1, 0]);
});

test('an answer counts until the system has accepted it, and not at all if that happens at once', async () => {
  const unsent = createUnsent(10_000_000);
  const dropped: boolean[] = [];
  const server = createServer((_, response) => {
    response.once('close', () => dropped.push(!response.writableFinished));
    unsent.add(response, 6_000_000);
    response.end(Buffer.alloc(6_000_000));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const ask = () =>
    new Promise<number>((resolve, reject) => {
      const { port } = server.address() as AddressInfo;
      get({ port, host: '127.0.0.1', agent: false }, (response) => {
        let bytes = 0;
        response.on('data', (chunk: Buffer) => (bytes += chunk.length));
        response.once('close', () => resolve(bytes));
      }).once('error', reject);
    });
  for (let i = 0; i < 3; i++) expect(await ask()).toBe(6_000_000);
  await until(() => dropped.length === 3);
  await new Promise((resolve) => server.close(resolve));
  expect(dropped).toEqual([false, false, false]);
});
