import { execFileSync } from 'node:child_process';
import { expect, test, vi } from 'vitest';
import { openProtocol, serve } from '../../support/web/http-kit.js';
import { answer } from '../../support/web/raw-server.js';

/** The number of times that loading the HTTP client will still fail, and the number of times that the whole client was loaded. */
const fails = vi.hoisted(() => ({ times: 0 }));
const whole = vi.hoisted(() => ({ loads: 0 }));

vi.mock('../../../packages/fetch/address/load-undici.js', async (original) => {
  const loaders = await original<{ loadAgent: () => unknown; loadUndici: () => unknown }>();
  const failing = (load: () => unknown) => () => {
    if (fails.times-- > 0) throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
    return load();
  };
  const loadWhole = (): unknown => {
    whole.loads++;
    return loaders.loadUndici();
  };
  return { loadAgent: failing(loaders.loadAgent), loadUndici: failing(loadWhole) };
});

test.each(['', 'http://127.0.0.1:1'])(
  'a request loads the client again if an earlier one failed to, proxy "%s"',
  async (proxy) => {
    const server = await serve(() => answer('200 OK', {}, 'x'));
    const http = openProtocol({ privateAddresses: 'allow', proxy });
    fails.times = 2;
    for (let i = 0; i < 2; i++) await expect(http.fetch({ url: server.origin })).rejects.toThrow('too many open files');
    const { code } = await http.fetch({ url: server.origin });
    expect(code).toBe(proxy === '' ? 'success' : 'proxy_failed');
  },
);

test('a direct request does not load the whole client', async () => {
  const server = await serve(() => answer('200 OK', {}, 'x'));
  const http = openProtocol({ privateAddresses: 'allow' });
  const before = whole.loads;
  expect((await http.fetch({ url: server.origin })).code).toBe('success');
  expect(whole.loads).toBe(before);
});

test('the parts of the client for direct requests do not load the rest of it', () => {
  const script = `
    require('undici/lib/dispatcher/agent.js');
    require('undici/lib/core/connect.js');
    console.log(Object.keys(require.cache).filter((path) => /undici.(index|lib.web.fetch.index)[.]js$/.test(path)).length);
  `;
  expect(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' }).trim()).toBe('0');
});

test('a client that was never loaded is closed without an error', async () => {
  const http = openProtocol();
  fails.times = 1;
  await expect(http.fetch({ url: 'http://127.0.0.1/' })).rejects.toThrow('too many open files');
  await http.close();
});
