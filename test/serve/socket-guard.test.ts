import { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import { expect, it } from 'vitest';
import { guardSockets, type RefusalReason } from '../../packages/serve/http/socket-guard.js';

/** A guarded server. `open` connects from an address, and returns the socket. */
function aServer(trustedProxies: readonly string[] = []) {
  const server = new EventEmitter();
  const refused: RefusalReason[] = [];
  guardSockets(server as Server, { trustedProxies, onRefused: (reason) => refused.push(reason) });
  const open = (remoteAddress: string): EventEmitter => {
    const socket = Object.assign(new EventEmitter(), { remoteAddress, destroy: () => socket.emit('close') });
    server.emit('connection', socket);
    return socket;
  };
  return { open, refused };
}

it.each([
  ['an IPv4 address', () => '203.0.113.7'],
  ['an IPv4 address mapped to IPv6', () => '::ffff:203.0.113.7'],
  ['an IPv6 network of 64 bits', (i: number) => `2001:db8::${(i + 1).toString(16)}`],
  ['a full IPv6 address', (i: number) => `2001:db8:1:2:${(i + 1).toString(16)}:1:1:1`],
])('%s holds at most half of the connections', (_name, address) => {
  const { open, refused } = aServer();
  const sockets = Array.from({ length: 500 }, (_, i) => open(address(i)));
  expect(refused).toEqual([]);
  open(address(500));
  expect(refused).toEqual(['connections_of_client']);
  open('203.0.113.8');
  open('2001:db8:0:1::1');
  sockets[0]!.emit('close');
  open(address(501));
  expect(refused).toHaveLength(1);
});

it.each(['127.0.0.2', '::1', '::ffff:127.0.0.1', '10.1.2.3', '::ffff:10.1.2.3', '203.0.113.7', '2001:db8::7'])(
  'connections of %s, this machine or a trusted proxy, are not limited',
  (address) => {
    const { open, refused } = aServer(['10.0.0.0/8', '203.0.113.7', '2001:db8::/32']);
    for (let i = 0; i < 501; i++) open(address);
    expect(refused).toEqual([]);
  },
);
