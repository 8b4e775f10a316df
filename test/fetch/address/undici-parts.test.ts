import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { openProtocol, serve } from '../../support/web/http-kit.js';
import { answer } from '../../support/web/raw-server.js';

test('a direct request does not load the whole HTTP client', async () => {
  const server = await serve(() => answer('200 OK', {}, 'x'));
  const http = openProtocol({ privateAddresses: 'allow' });
  expect((await http.fetch({ url: server.origin })).code).toBe('success');
  const loaded = Object.keys(createRequire(import.meta.url).cache).filter((path) => path.includes('/undici/'));
  expect(loaded.some((path) => path.endsWith('/undici/lib/dispatcher/agent.js'))).toBe(true);
  expect(loaded.filter((path) => path.endsWith('/undici/index.js'))).toEqual([]);
});
