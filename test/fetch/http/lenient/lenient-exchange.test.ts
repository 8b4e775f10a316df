import net from 'node:net';
import { describe, expect, it } from 'vitest';
import type { buildConnector } from 'undici';
import { PrivateAddressError } from '../../../../packages/fetch/address/address-guard.js';
import type { Exchange } from '../../../../packages/fetch/http/http-exchange.js';
import { lenientExchange } from '../../../../packages/fetch/http/lenient/lenient-exchange.js';
import { serve } from '../../../support/web/http-kit.js';

const LIMITS = { timeout: 5000, headerLimit: 4096 };
const plain: buildConnector.connector = ({ hostname, port }, callback) => {
  const socket = net.connect(Number(port), hostname);
  socket.once('connect', () => callback(null, socket)).on('error', () => undefined);
};
const request = (url: string, more: Partial<Exchange> = {}): Exchange => ({
  url: new URL(url),
  headers: [],
  timeLimitMs: 5000,
  keep: () => 100,
  ...more,
});

describe('a lenient exchange', () => {
  it('writes one request, whatever the headers contain', async () => {
    const server = await serve((_request, socket) => void socket.end('HTTP/1.1 200 OK\r\n\r\n'));
    const headers = [
      'A',
      'b\r\nEvil: 1',
      'C\nEvil',
      'd',
      'NUL',
      'a\0b',
      'Connection',
      'keep-alive',
      'Host',
      'evil',
      'X',
      'é',
    ];
    await lenientExchange(plain, request(`${server.origin}/a%0D%0Ab?c\r\nd`, { headers }), LIMITS);
    expect(server.requests.map(({ head }) => head)).toEqual([
      `GET /a%0D%0Ab?cd HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nConnection: close\r\nX: é`,
    ]);
  });

  it('passes the host to the connector, without brackets', async () => {
    const asked: buildConnector.Options[] = [];
    const connector: buildConnector.connector = (options, callback) => {
      asked.push(options);
      callback(new Error('no'), null);
    };
    await lenientExchange(connector, request('https://a.example/'), LIMITS);
    await lenientExchange(connector, request('http://[::1]:8080/'), LIMITS);
    expect(asked).toEqual([
      { protocol: 'https:', host: 'a.example', hostname: 'a.example', port: '', servername: 'a.example' },
      { protocol: 'http:', host: '[::1]:8080', hostname: '::1', port: '8080' },
    ]);
  });

  it('fails as the connector does', async () => {
    const error = new PrivateAddressError('a.example', '10.0.0.1', 'private');
    const refuse: buildConnector.connector = (_options, callback) => callback(error, null);
    expect(await lenientExchange(refuse, request('http://a.example/'), LIMITS)).toMatchObject({
      failure: 'private_address',
      message: error.message,
    });
  });

  it('closes a connection that arrives too late', async () => {
    const server = await serve(() => undefined);
    const controller = new AbortController();
    let connected: net.Socket | undefined;
    let connect = (): void => undefined;
    const slow: buildConnector.connector = ({ hostname, port }, callback) => {
      connect = () => {
        const socket = net.connect(Number(port), hostname);
        connected = socket.once('connect', () => callback(null, socket)).on('error', () => undefined);
      };
    };
    const pending = lenientExchange(slow, request(server.origin, { signal: controller.signal }), LIMITS);
    controller.abort();
    expect(await pending).toMatchObject({ failure: 'aborted' });
    connect();
    await new Promise((resolve) => connected?.once('close', resolve));
    expect(server.requests).toEqual([]);
  });

  it('does not connect if it is already aborted', async () => {
    const never: buildConnector.connector = () => expect.unreachable();
    const signal = AbortSignal.abort();
    expect(await lenientExchange(never, request('http://a.example/', { signal }), LIMITS)).toMatchObject({
      failure: 'aborted',
    });
  });
});
