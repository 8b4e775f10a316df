import https from 'node:https';
import net from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Settings } from '../../../config/schema.js';
import type { HttpExtras, HttpProtocol } from '../../../packages/fetch/index.js';
import type { FetchOutcome } from '../../../packages/plugin-api/index.js';
import { turns, until } from '../../support/events.js';
import { kept, openProtocol, serve } from '../../support/web/http-kit.js';
import { testProxy, type ProxyRequest, type TestProxy } from '../../support/web/proxy-server.js';
import { answer } from '../../support/web/raw-server.js';
import { SELF_SIGNED } from '../../support/web/self-signed.js';

const PUBLIC = '93.184.216.34';
const addresses: Readonly<Record<string, readonly string[]>> = {
  'site.test': [PUBLIC],
  'inside.test': ['10.0.0.1'],
  'mixed.test': [PUBLIC, '127.0.0.1'],
};

function protocol(settings: Partial<Settings['http']>, extras: HttpExtras = {}): HttpProtocol {
  const lookup = (host: string): Promise<readonly string[]> =>
    addresses[host] ? Promise.resolve(addresses[host]) : Promise.reject(new Error(`no ${host}`));
  return openProtocol(settings, { lookup, connect: { ca: SELF_SIGNED.cert }, ...extras });
}

async function serveTls(seen: string[] = []): Promise<number> {
  const server = https.createServer(SELF_SIGNED, (request, response) => {
    seen.push(`${request.headers.host} ${request.url} ${JSON.stringify(request.rawHeaders)}`);
    response.end('over TLS');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as net.AddressInfo).port;
}

async function proxyTo(port: number, refuse?: (request: ProxyRequest) => string | undefined): Promise<TestProxy> {
  const proxy = await testProxy(port, refuse);
  onTestFinished(() => proxy.close());
  return proxy;
}

const basic = (login: string): string => `Basic ${Buffer.from(login).toString('base64')}`;

describe('a proxy', () => {
  it('gets requests for http as they are', async () => {
    const server = await serve(({ path, headers }) => answer('200 OK', {}, `${path} of ${headers.host}`));
    const proxy = await proxyTo(server.port);
    const http = protocol({ proxy: `http://${proxy.host}` });
    expect(kept(await http.fetch({ url: 'http://site.test:8080/a?b=%20c#d' }))).toBe('/a?b=%20c of site.test:8080');
    expect(kept(await http.fetch({ url: 'http://site.test/' }))).toBe('/ of site.test');
    expect(proxy.requests.map(({ method, target }) => `${method} ${target}`)).toEqual([
      'GET http://site.test:8080/a?b=%20c',
      'GET http://site.test/',
    ]);
    expect(proxy.requests[0]?.headers).not.toHaveProperty('proxy-authorization');
  });

  it('gets a tunnel for https, and cannot read its content', async () => {
    const seen: string[] = [];
    const proxy = await proxyTo(await serveTls(seen));
    const http = protocol({
      proxy: `http://me:p%40ss@${proxy.host}`,
      credentials: { 'https://site.test': 'user:secret' },
      cookies: { 'https://site.test': 'session=secret' },
      headers: { From: 'secret@example.com' },
    });
    expect(kept(await http.fetch({ url: 'https://site.test/a?b' }))).toBe('over TLS');
    // A connection can be used again only after a turn of the event loop.
    await turns();
    expect(kept(await http.fetch({ url: 'https://site.test/c' }))).toBe('over TLS');
    expect(proxy.requests).toMatchObject([{ method: 'CONNECT', target: 'site.test:443' }]);
    expect(proxy.requests[0]?.headers).toMatchObject({
      host: 'site.test:443',
      'proxy-authorization': basic('me:p@ss'),
    });
    expect(JSON.stringify(proxy.requests)).not.toMatch(/secret|dXNlcj/);
    expect(seen.join()).not.toMatch(/proxy-authorization/i);
    expect(seen[0]).toContain(basic('user:secret'));
  });

  it('gets the port of the target of a tunnel', async () => {
    const proxy = await proxyTo(await serveTls());
    expect(kept(await protocol({ proxy: `http://${proxy.host}` }).fetch({ url: 'https://site.test:8443/' }))).toBe(
      'over TLS',
    );
    expect(proxy.requests[0]?.target).toBe('site.test:8443');
  });

  it('gets its own credentials, and the server gets its own', async () => {
    const server = await serve(({ head }) => answer('200 OK', {}, head));
    const proxy = await proxyTo(server.port);
    const http = protocol({
      proxy: `http://only-user@${proxy.host}`,
      credentials: { 'http://site.test': 'user:secret' },
    });
    const outcome = await http.fetch({ url: 'http://site.test/' });
    expect(kept(outcome)).toContain(basic('user:secret'));
    expect(proxy.requests[0]?.headers['proxy-authorization']).toBe(basic('only-user:'));
  });

  it('does not make certificates valid', async () => {
    const proxy = await proxyTo(await serveTls());
    const untrusting = protocol({ proxy: `http://${proxy.host}` }, { connect: {} });
    expect(await untrusting.fetch({ url: 'https://site.test/' })).toMatchObject({ kind: 'retry', code: 'tls_failed' });
    const trusting = protocol({ proxy: `http://${proxy.host}`, privateAddresses: 'allow' });
    expect(await trusting.fetch({ url: 'https://other.test/' })).toMatchObject({ kind: 'retry', code: 'tls_failed' });
  });
});

describe('a proxy that fails', () => {
  const urls = ['http://site.test/', 'https://site.test/'];

  it.each(urls)('does not exist: %s', async (url) => {
    const gone = await proxyTo(1);
    await gone.close();
    const outcome = await protocol({ proxy: `http://me:topsecret@${gone.host}` }).fetch({ url });
    expect(outcome).toMatchObject({ kind: 'retry', code: 'proxy_failed' });
    expect(outcome.http).toBeUndefined();
    expect(JSON.stringify(outcome)).not.toContain('topsecret');
  });

  it.each(urls)('wants a password: %s', async (url) => {
    const proxy = await proxyTo(1, () => '407');
    const outcome = await protocol({ proxy: `http://me:topsecret@${proxy.host}` }).fetch({ url });
    expect(outcome).toMatchObject({
      kind: 'retry',
      code: 'proxy_failed',
      message: expect.stringContaining('HTTP 407') as string,
    });
    expect(JSON.stringify(outcome)).not.toContain('topsecret');
    await until(() => proxy.openConnections() <= 1);
  });

  it.each(['403', '500', '302', '101'])('refuses the tunnel with %s', async (status) => {
    const proxy = await proxyTo(1, () => status);
    const outcome = await protocol({ proxy: `http://${proxy.host}` }).fetch({ url: 'https://site.test/' });
    expect(outcome).toMatchObject({ kind: 'retry', code: status === '407' ? 'proxy_failed' : 'proxy_refused' });
    expect(outcome.http).toBeUndefined();
  });

  it('dies on CONNECT', async () => {
    const proxy = await proxyTo(1, () => 'die');
    const outcome = await protocol({ proxy: `http://${proxy.host}` }).fetch({ url: 'https://site.test/' });
    expect(outcome).toMatchObject({ kind: 'retry', code: 'proxy_failed' });
  });

  it('hangs on CONNECT', async () => {
    const proxy = await proxyTo(1, () => 'hang');
    const http = protocol({ proxy: `http://${proxy.host}`, timeLimitMs: 50 });
    expect(await http.fetch({ url: 'https://site.test/' })).toMatchObject({ kind: 'retry', code: 'too_slow' });
    const quiet = protocol({ proxy: `http://${proxy.host}`, timeout: 50 });
    expect(await quiet.fetch({ url: 'https://site.test/' })).toMatchObject({ kind: 'retry', code: 'proxy_failed' });
    await quiet.close();
    await http.close();
    await until(() => proxy.openConnections() === 0);
  });

  it('hangs within the tunnel', async () => {
    const silent = net.createServer((socket) => void socket.on('error', () => undefined).resume());
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const proxy = await proxyTo((silent.address() as net.AddressInfo).port);
    const http = protocol({ proxy: `http://${proxy.host}`, timeLimitMs: 50 });
    expect(await http.fetch({ url: 'https://site.test/' })).toMatchObject({ kind: 'retry', code: 'too_slow' });
    await http.close();
    await proxy.close();
    await new Promise((resolve) => silent.close(resolve));
  });

  it('is no proxy', async () => {
    const other = await serve((_request, socket) => void socket.end('<html>hello</html>'));
    const http = protocol({ proxy: other.origin });
    expect(await http.fetch({ url: 'https://site.test/' })).toMatchObject({ kind: 'retry', code: 'proxy_failed' });
    expect(await http.fetch({ url: 'http://site.test/' })).toMatchObject({ kind: 'retry', code: 'invalid_response' });
  });

  it('floods its answer to CONNECT', async () => {
    const other = await serve((_request, socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const pour = (): void => {
        while (!socket.destroyed && socket.write(`X-A: ${'a'.repeat(4096)}\r\n`));
      };
      socket.on('drain', pour);
      pour();
    });
    const http = protocol({ proxy: other.origin, headerLimit: 16_384 });
    expect(await http.fetch({ url: 'https://site.test/' })).toMatchObject({ kind: 'retry', code: 'proxy_failed' });
    await until(() => other.openConnections() === 0);
  });

  it('does not change what a server answers through it', async () => {
    const answers = ['301 Moved', '404 Not Found', '503 Later'];
    const server = await serve(({ number }) => answer(answers[number - 1] ?? '', { Location: '/x' }));
    const proxy = await proxyTo(server.port);
    const http = protocol({ proxy: `http://${proxy.host}` });
    const url = 'http://site.test/';
    expect(await http.fetch({ url })).toMatchObject({ kind: 'redirect', target: 'http://site.test/x' });
    expect(await http.fetch({ url })).toMatchObject({ kind: 'gone', http: 404 });
    expect(await http.fetch({ url })).toMatchObject({ kind: 'retry', http: 503 });
  });

  it('does not change the limits of size and time', async () => {
    const server = await serve((_request, socket) => void socket.write(answer('200 OK', {}, Buffer.alloc(1_000_000))));
    const proxy = await proxyTo(server.port);
    const cut = await protocol({ proxy: `http://${proxy.host}`, contentLimit: 1000 }).fetch({
      url: 'http://site.test/',
    });
    expect(cut).toMatchObject({ kind: 'content', truncated: true });
    expect(kept(cut)?.length).toBe(1000);
    const slow = await serve(() => undefined);
    const slowProxy = await proxyTo(slow.port);
    const http = protocol({ proxy: `http://${slowProxy.host}`, timeout: 50 });
    expect(await http.fetch({ url: 'http://site.test/' })).toMatchObject({ kind: 'retry', code: 'timeout' });
  });
});

describe('addresses that are not public, with a proxy', () => {
  it.each([
    ['http://10.0.0.1/', 'private_address'],
    ['https://127.0.0.1/', 'private_address'],
    ['http://[::1]:8080/', 'private_address'],
    ['http://2130706433/', 'private_address'],
    ['https://169.254.169.254/latest/', 'private_address'],
    ['http://inside.test/', 'private_address'],
    ['https://inside.test/', 'private_address'],
    ['http://mixed.test/', 'private_address'],
  ])('are refused before the proxy gets a request: %s', async (url, code) => {
    const proxy = await proxyTo(1);
    for (const privateAddresses of ['seeds', 'deny'] as const) {
      const http = protocol({ proxy: `http://${proxy.host}`, privateAddresses });
      expect(await http.fetch({ url })).toMatchObject({ kind: 'gone', code });
      const named = await http.fetch({ url, allowPrivate: true });
      expect(named.code === 'private_address').toBe(privateAddresses === 'deny');
    }
  });

  it('of names that the operator gave may be private, but not of a cloud platform', async () => {
    const server = await serve(() => answer('200 OK', {}, 'hello'));
    const proxy = await proxyTo(server.port);
    const lookup = (host: string): Promise<readonly string[]> =>
      Promise.resolve(host === 'metadata.test' ? ['10.0.0.1', '169.254.169.254'] : ['10.0.0.1']);
    const http = protocol({ proxy: `http://${proxy.host}` }, { lookup });
    const named = (url: string): Promise<FetchOutcome> => http.fetch({ url, allowPrivate: true });
    expect(kept(await named('http://inside.test/'))).toBe('hello');
    expect(await named('http://metadata.test/')).toMatchObject({ kind: 'gone', code: 'private_address' });
    // An operator who gives the address itself means it.
    expect(kept(await named('http://169.254.169.254/'))).toBe('hello');
  });

  it('a name that cannot be looked up here is not requested, unless all is allowed', async () => {
    const server = await serve(() => answer('200 OK', {}, 'hello'));
    const proxy = await proxyTo(server.port);
    const careful = protocol({ proxy: `http://${proxy.host}` });
    const url = 'http://only-the-proxy-knows.test/';
    expect(await careful.fetch({ url })).toMatchObject({ kind: 'retry' });
    expect(proxy.requests).toHaveLength(0);
    const free = protocol({ proxy: `http://${proxy.host}`, privateAddresses: 'allow' });
    expect(kept(await free.fetch({ url }))).toBe('hello');
  });

  it('a hanging lookup ends at its time limit, and on an abort', async () => {
    const proxy = await proxyTo(1);
    const lookup = (): Promise<never> => new Promise(() => undefined);
    const http = protocol({ proxy: `http://${proxy.host}`, timeout: 30 }, { lookup });
    expect(await http.fetch({ url: 'http://site.test/' })).toMatchObject({ kind: 'retry', code: 'dns_failed' });
    const patient = protocol({ proxy: `http://${proxy.host}` }, { lookup });
    const controller = new AbortController();
    const pending = patient.fetch({ url: 'http://site.test/', signal: controller.signal });
    controller.abort();
    expect(await pending).toMatchObject({ kind: 'retry', code: 'aborted' });
    expect(await patient.fetch({ url: 'http://site.test/', signal: AbortSignal.abort() })).toMatchObject({
      code: 'aborted',
    });
  });
});
