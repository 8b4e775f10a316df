import http2 from 'node:http2';
import net from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Settings } from '../../../config/schema.js';
import type { FetchRequest } from '../../../packages/plugin-api/index.js';
import { acceptEncoding } from '../../../packages/fetch/http/content-coding.js';
import type { HttpExtras, HttpProtocol, Lookup } from '../../../packages/fetch/index.js';
import { turns, until } from '../../support/events.js';
import { kept, listen, openProtocol, serve } from '../../support/web/http-kit.js';
import { answer, rawServer } from '../../support/web/raw-server.js';
import { SELF_SIGNED } from '../../support/web/self-signed.js';

const NOW = Date.UTC(2025, 0, 1, 12, 0, 0);

const protocol = (settings: Partial<Settings['http']> = {}, extras: HttpExtras = {}): HttpProtocol =>
  openProtocol({ privateAddresses: 'allow', ...settings }, { clock: () => NOW, ...extras });

/** The outcome of one answer; `bytes` are sent as they are, and then the connection is closed. */
async function fetchRaw(
  bytes: string | Uint8Array,
  settings?: Partial<Settings['http']>,
  request?: Partial<FetchRequest>,
) {
  const server = await serve((_request, socket) => void socket.end(bytes));
  return protocol(settings).fetch({ url: `${server.origin}/a/b`, ...request });
}

/** A connection can be used again only after a turn of the event loop. */
const settle = turns;

describe('the request', () => {
  it('is HEAD if the body is not wanted, once, also if the answer is odd', async () => {
    const server = await serve(() => 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5000\r\n\r\n');
    const http = protocol();
    const found = await http.fetch({ url: `${server.origin}/x`, headOnly: true });
    expect(found).toMatchObject({ kind: 'content', http: 200, contentType: 'text/html' });
    expect(server.requests.map(({ head }) => head.split(' ', 1)[0])).toEqual(['HEAD']);
    const odd = await serve((_request, socket) => void socket.end('nonsense'));
    expect(await http.fetch({ url: `${odd.origin}/x`, headOnly: true })).toMatchObject({
      kind: 'retry',
      code: 'invalid_response',
    });
    expect(odd.requests.map(({ head }) => head.split(' ', 1)[0])).toEqual(['HEAD']);
  });

  it('has name, languages, codings, and path with query', async () => {
    const server = await serve(() => answer('200 OK'));
    const http = protocol({ agentName: 'bot', agentVersion: '', acceptLanguage: '' });
    await http.fetch({ url: `${server.origin}?q=%C3%A9#part` });
    const { path, head, headers } = server.requests[0] ?? { path: '', head: '', headers: {} };
    expect(path).toBe('/?q=%C3%A9');
    expect(head).toMatch(/^GET .* HTTP\/1\.1\r\n/);
    expect(headers).toMatchObject({
      host: `127.0.0.1:${server.port}`,
      'user-agent': 'bot',
      accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
      'accept-encoding': acceptEncoding(),
    });
    expect(Object.keys(headers)).not.toEqual(expect.arrayContaining(['accept-language']));
    expect(Object.keys(headers)).not.toEqual(expect.arrayContaining(['if-none-match']));
  });

  it('uses HTTP/1.1 even if the server offers HTTP/2', async () => {
    const seen: string[] = [];
    const server = http2.createSecureServer({ ...SELF_SIGNED, allowHTTP1: true }, (request, response) => {
      seen.push(request.httpVersion);
      response.end('hello');
    });
    const port = await listen(server);
    const http = protocol({}, { lookup: () => Promise.resolve(['127.0.0.1']), connect: { ca: SELF_SIGNED.cert } });
    const outcome = await http.fetch({ url: `https://site.test:${port}/` });
    expect([kept(outcome), seen]).toEqual(['hello', ['1.1']]);
  });

  it('is conditional with the date and tag of our copy', async () => {
    const server = await serve(() => answer('304 Not Modified', { ETag: '"2"' }));
    const outcome = await protocol().fetch({ url: server.origin, ifModifiedSince: NOW, ifNoneMatch: '"1"' });
    expect(server.requests[0]?.headers).toMatchObject({
      'if-modified-since': 'Wed, 01 Jan 2025 12:00:00 GMT',
      'if-none-match': '"1"',
    });
    expect(outcome).toMatchObject({ kind: 'notmodified', code: 'notmodified', http: 304, headers: { etag: '"2"' } });
  });

  it('omits an entity tag that no header can have', async () => {
    const server = await serve(() => answer('304 Not Modified'));
    const outcome = await protocol().fetch({ url: server.origin, ifNoneMatch: 'x\r\nEvil: 1' });
    expect(server.requests[0]?.head).not.toContain('Evil');
    expect(outcome).toMatchObject({ kind: 'retry', code: 'http_error', http: 304 });
  });

  it('reuses a connection', async () => {
    const server = await serve(({ path }) => answer(path === '/3' ? '404 Not Found' : '200 OK', {}, path));
    const http = protocol();
    for (const path of ['/1', '/2', '/3', '/4']) {
      await http.fetch({ url: server.origin + path });
      await settle();
    }
    expect(server.requests.map(({ connection }) => connection)).toEqual([1, 1, 1, 1]);
    await http.close();
    await until(() => server.openConnections() === 0);
  });

  it('rejects wrong use', async () => {
    expect(() => protocol({ agentName: 'bot\r\nEvil: 1' })).toThrow(expect.objectContaining({ code: 'BAD_SETTING' }));
    const http = protocol();
    await expect(http.fetch({ url: 'ftp://a.org/' })).rejects.toMatchObject({ code: 'BAD_URL' });
    await http.close();
    await http.close();
    await expect(http.fetch({ url: 'http://a.org/' })).rejects.toMatchObject({ code: 'CLOSED' });
  });
});

describe('the answer', () => {
  it('is content with its headers and media type', async () => {
    const bytes = answer(
      '200 OK',
      { 'Content-Type': 'Text/HTML; charset=x', 'X-A': '1', 'x-a': '2', __proto__x: 'é' },
      'hi',
    );
    const outcome = await fetchRaw(bytes);
    expect(outcome).toMatchObject({
      kind: 'content',
      code: 'success',
      http: 200,
      contentType: 'text/html',
      truncated: false,
    });
    expect(outcome.headers).toMatchObject({ 'x-a': '1, 2', __proto__x: 'é', 'content-length': '2' });
    expect(outcome.millis).toBe(0);
    expect(kept(outcome)).toBe('hi');
  });

  it.each([
    ['HTTP/1.0 without length', 'HTTP/1.0 200 OK\r\n\r\nhello', 'hello'],
    ['no reason phrase', 'HTTP/1.1 200\r\nContent-Length: 5\r\n\r\nhello', 'hello'],
    [
      '103 before the answer',
      'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello',
      'hello',
    ],
    ['chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n', 'hello'],
    ['an empty body', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', ''],
    ['more than Content-Length', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello and more', 'hello'],
    ['a coding that lies', 'HTTP/1.0 200 OK\r\nContent-Encoding: gzip\r\n\r\nhello', 'hello'],
    ['a 203', 'HTTP/1.0 203 Changed\r\n\r\nhello', 'hello'],
    ['a 206', 'HTTP/1.0 206 Partial\r\n\r\nhello', 'hello'],
    ['a 204', 'HTTP/1.1 204 No Content\r\n\r\n', ''],
    ['a 205', 'HTTP/1.1 205 Reset\r\nContent-Length: 0\r\n\r\n', ''],
  ])('may be odd: %s', async (_name, bytes, body) => {
    const outcome = await fetchRaw(bytes);
    expect([outcome.code, kept(outcome)]).toEqual(['success', body]);
  });

  it.each(['HTTP/1.1', 'HTTP/1'])('is a failure in a coding that cannot be decoded, not text (%s)', async (version) => {
    const head = `${version} 200 OK\r\nContent-Encoding: gzip, compress\r\n`;
    const outcome = await fetchRaw(`${head}Content-Type: text/html\r\n\r\n\x1f\x9d`);
    expect(outcome).toMatchObject({
      kind: 'retry',
      code: 'unsupported_coding',
      http: 200,
      message: 'the body has the content coding compress, which cannot be decoded',
    });
    expect(outcome.lenient).toBe(version === 'HTTP/1' ? true : undefined);
    expect(await fetchRaw(`${head}Content-Length: 0\r\n\r\n`)).toMatchObject({ code: 'success' });
  });

  it('is marked as truncated if the server sends a part that was not requested', async () => {
    expect(await fetchRaw('HTTP/1.0 206 Partial\r\nContent-Range: bytes 0-4/10\r\n\r\nhello')).toMatchObject({
      kind: 'content',
      truncated: true,
    });
  });

  it.each([
    ['a broken chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n', 'invalid_response'],
    ['an upgrade', 'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n', 'invalid_response'],
    ['nothing', '', 'connection_reset'],
    ['half a head', 'HTTP/1.1 200 OK\r\nContent-', 'connection_reset'],
    ['a flood of headers', `HTTP/1.1 200 OK\r\n${'X-A: aaaaaaaaaaaa\r\n'.repeat(2000)}\r\n`, 'headers_too_large'],
    [
      'a flood of interim answers',
      `${'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(101)}HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n`,
      'headers_too_large',
    ],
    ['one long header', `HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`, 'headers_too_large'],
  ])('may be unreadable: %s', async (_name, bytes, code) => {
    const outcome = await fetchRaw(bytes, { headerLimit: 16_384 });
    expect(outcome).toMatchObject({ kind: 'retry', code });
    expect(outcome.http).toBeUndefined();
    expect(outcome.message).toMatch(/^.+$/);
  });

  it.each([
    ['404 Not Found', { kind: 'gone', code: 'not_found', message: 'HTTP 404 Not Found' }],
    ['410 Gone\x1b[2J', { kind: 'gone', code: 'gone', message: 'HTTP 410 Gone\\u001b[2J' }],
    ['401 Unauthorized', { kind: 'gone', code: 'unauthorized' }],
    ['403 Forbidden', { kind: 'retry', code: 'forbidden' }],
    ['429 Slow Down', { kind: 'retry', code: 'throttled' }],
    ['500 Oops', { kind: 'retry', code: 'http_error' }],
    ['999 Request denied', { kind: 'retry', code: 'http_error' }],
  ])('%s', async (status, expected) => {
    const outcome = await fetchRaw(answer(status, {}, 'a page'));
    expect(outcome).toMatchObject({ ...expected, http: Number(status.slice(0, 3)) });
  });

  it('states when to retry', async () => {
    const later = await fetchRaw(answer('503 Later', { 'Retry-After': 'Wed, 01 Jan 2025 12:00:30 GMT' }));
    expect(later).toMatchObject({ kind: 'retry', code: 'unavailable', retryAfter: 30 });
    expect(await fetchRaw(answer('429 Slow', { 'Retry-After': 'soon' }))).not.toHaveProperty('retryAfter');
  });
});

describe('a redirect', () => {
  const moved = (location: string | Uint8Array, more = 'Content-Length: 0\r\n'): Uint8Array =>
    Buffer.concat([
      Buffer.from(`HTTP/1.1 301 Moved\r\n${more}Location: `),
      Buffer.from(location),
      Buffer.from('\r\n\r\n'),
    ]);

  it.each([
    ['c', '/a/c'],
    ['/é', '/%C3%A9'],
    [Buffer.from([0x2f, 0xe9]), '/%E9'],
    ['', null],
  ])('to %s', async (location, expected) => {
    const outcome = await fetchRaw(moved(location));
    expect(outcome).toMatchObject({ kind: 'redirect', code: 'moved', permanent: true });
    const target = outcome.kind === 'redirect' ? outcome.target : undefined;
    expect(target?.replace(/^http:\/\/127.0.0.1:\d+/, '') ?? target).toBe(expected);
  });

  it('is not a 300 without Location, whose body is a page', async () => {
    const body = '<a href=/b>b</a>';
    expect(kept(await fetchRaw(answer('300 Multiple Choices', {}, body)))).toBe(body);
    const chosen = await fetchRaw(answer('300 Multiple Choices', { Location: '/c' }, body));
    expect(chosen).toMatchObject({ kind: 'redirect', code: 'moved' });
  });

  it('is not a 305, which names a proxy', async () => {
    const outcome = await fetchRaw(answer('305 Use Proxy', { Location: 'http://proxy.example/' }));
    expect(outcome).toMatchObject({ kind: 'retry', code: 'http_error', http: 305 });
  });

  it('counts whatever happens to its body', async () => {
    expect(await fetchRaw(moved('/x', 'Content-Length: 50\r\n'))).toMatchObject({ kind: 'redirect' });
    const server = await serve((_request, socket) => void socket.write(moved('/x', 'Content-Length: 99999999\r\n')));
    const outcome = await protocol({ timeLimitMs: 50 }).fetch({ url: server.origin });
    expect(outcome).toMatchObject({ kind: 'redirect', target: `${server.origin}/x` });
    await until(() => server.openConnections() === 0);
  });

  it('does not wait for an endless body', async () => {
    const server = await serve((_request, socket) => {
      socket.write(moved('/x', 'Transfer-Encoding: chunked\r\n'));
      const pour = (): void => {
        while (!socket.destroyed && socket.write(`1000\r\n${'x'.repeat(4096)}\r\n`));
      };
      socket.on('drain', pour);
      pour();
    });
    expect(await protocol().fetch({ url: server.origin })).toMatchObject({ kind: 'redirect' });
    await until(() => server.openConnections() === 0);
  });
});

describe('limits', () => {
  it('cut a long body and close the connection', async () => {
    const server = await serve(() => answer('200 OK', {}, Buffer.alloc(10_000_000, 'x')));
    const outcome = await protocol({ contentLimit: 1_000_000 }).fetch({ url: server.origin });
    expect(outcome).toMatchObject({ kind: 'content', truncated: true });
    expect(kept(outcome)?.length).toBe(1_000_000);
    await until(() => server.openConnections() === 0);
  });

  it('keep a body exactly as long as the limit, and the connection', async () => {
    const server = await serve(() => answer('200 OK', {}, 'x'.repeat(1000)));
    const http = protocol({ contentLimit: 1000 });
    const outcome = await http.fetch({ url: server.origin });
    expect(outcome).toMatchObject({ truncated: false });
    expect(kept(outcome)?.length).toBe(1000);
    await settle();
    await http.fetch({ url: server.origin });
    expect(server.requests.map(({ connection }) => connection)).toEqual([1, 1]);
  });

  it('are absent with -1, and a request may have a lower or higher one', async () => {
    const server = await serve(() => answer('200 OK', {}, Buffer.alloc(3_000_000)));
    const http = protocol({ contentLimit: -1 });
    expect(kept(await http.fetch({ url: server.origin }))?.length).toBe(3_000_000);
    expect(kept(await http.fetch({ url: server.origin, contentLimit: 10 }))?.length).toBe(10);
    const strict = protocol({ contentLimit: 5 });
    expect(kept(await strict.fetch({ url: server.origin, contentLimit: 10 }))?.length).toBe(10);
  });

  it('prevent expanding a bomb of a gigabyte', async () => {
    const bomb = Buffer.concat(Array<Buffer>(1000).fill(gzipSync(Buffer.alloc(1_000_000))));
    expect(bomb.length).toBeLessThan(1_100_000);
    const server = await serve(() => answer('200 OK', { 'Content-Encoding': 'gzip' }, bomb));
    const outcome = await protocol({ contentLimit: 2_000_000 }).fetch({ url: server.origin });
    expect(outcome).toMatchObject({ kind: 'content', truncated: true });
    expect(kept(outcome)?.length).toBe(2_000_000);
  });

  it('allow a coding that makes its content longer', async () => {
    const noise = Buffer.from(Array.from({ length: 5000 }, (_, i) => Math.imul(i, 0x9e3779b1) >>> 11));
    const encoded = gzipSync(noise, { level: 0 });
    expect(encoded.length).toBeGreaterThan(noise.length);
    const outcome = await fetchRaw(answer('200 OK', { 'Content-Encoding': 'gzip' }, encoded), { contentLimit: 5000 });
    expect(outcome).toMatchObject({ kind: 'content', truncated: false });
    expect(kept(outcome)).toBe(noise.toString('latin1'));
  });

  it('end a trickle at the time limit', async () => {
    const server = await serve((_request, socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      const drip = setInterval(() => socket.write('x'), 5);
      socket.on('close', () => clearInterval(drip));
    });
    const outcome = await protocol({ timeLimitMs: 60 }).fetch({ url: server.origin });
    expect(outcome).toMatchObject({ kind: 'retry', code: 'too_slow' });
    await until(() => server.openConnections() === 0);
  });

  it.each([
    ['head', ''],
    ['body', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe'],
  ])('gives up on silence in the %s', async (_where, bytes) => {
    const server = await serve((_request, socket) => void socket.write(bytes));
    const outcome = await protocol({ timeout: 50 }).fetch({ url: server.origin });
    expect(outcome).toMatchObject({ kind: 'retry', code: 'timeout' });
  });
});

describe('failures', () => {
  it.each([
    ['an object', {}],
    ['a text', '127.0.0.1'],
    ['nothing', undefined],
  ])('include a lookup that answers %s instead of a list', async (_, answer) => {
    const http = protocol({}, { lookup: (() => Promise.resolve(answer)) as unknown as Lookup });
    expect(await http.fetch({ url: 'http://a.example/' })).toMatchObject({
      kind: 'retry',
      message: expect.stringContaining('expected a list of addresses of a.example') as string,
    });
  });

  it('tell apart a refused connection, an unknown name, and a server without TLS', async () => {
    const server = await rawServer((_request, socket) => void socket.end('HTTP/1.1 400 Bad\r\n\r\n'));
    const http = protocol({}, { lookup: () => Promise.reject(noSuchName()) });
    expect(await http.fetch({ url: 'http://nowhere.invalid/' })).toMatchObject({ kind: 'retry', code: 'dns_failed' });
    const plain = net.createServer((socket) =>
      socket
        .on('error', () => undefined)
        .resume()
        .end('not TLS'),
    );
    expect(await http.fetch({ url: `https://127.0.0.1:${await listen(plain)}/` })).toMatchObject({
      kind: 'retry',
      code: 'tls_failed',
    });
    await server.close();
    expect(await http.fetch({ url: server.origin })).toMatchObject({ kind: 'retry', code: 'connect_failed' });
  });

  it('come at once after an abort: before, while connecting and while waiting', async () => {
    const server = await serve(() => undefined);
    const connecting = protocol({}, { lookup: () => new Promise(() => undefined) });
    const waiting = protocol();
    const url = server.origin;
    expect(await waiting.fetch({ url, signal: AbortSignal.abort() })).toMatchObject({ kind: 'retry', code: 'aborted' });
    expect(server.requests).toHaveLength(0);
    for (const http of [connecting, waiting]) {
      const controller = new AbortController();
      const pending = http.fetch({
        url: http === waiting ? url : 'http://site.example/',
        signal: controller.signal,
      });
      if (http === waiting) await until(() => server.requests.length > 0);
      controller.abort();
      expect(await pending).toMatchObject({ kind: 'retry', code: 'aborted' });
    }
    await until(() => server.openConnections() === 0);
  });

  it('end requests in flight on close', async () => {
    const server = await serve(() => undefined);
    const http = protocol();
    const pending = http.fetch({ url: server.origin });
    await until(() => server.requests.length > 0);
    await http.close();
    expect(await pending).toMatchObject({ kind: 'retry', code: 'aborted' });
  });

  it('end requests that began just before close', async () => {
    const server = await serve(() => answer('200 OK', {}, ''));
    const http = protocol();
    const pending = http.fetch({ url: server.origin });
    await http.close();
    expect(await pending).toMatchObject({ kind: 'retry', code: 'aborted' });
    expect(server.requests).toEqual([]);
  });

  it('of a connection closed while idle lead to one retry', async () => {
    const server = await serve(({ number, path }, socket) => {
      if (number === 2 || path === '/never') return void socket.destroy();
      return answer('200 OK', {}, String(number));
    });
    const http = protocol();
    expect(kept(await http.fetch({ url: server.origin }))).toBe('1');
    await settle();
    expect(kept(await http.fetch({ url: server.origin }))).toBe('3');
    await settle();
    expect(await http.fetch({ url: `${server.origin}/never` })).toMatchObject({
      kind: 'retry',
      code: 'connection_reset',
    });
    expect(server.requests.map(({ connection }) => connection)).toEqual([1, 1, 2, 2, 3]);
  });
});

function noSuchName(): NodeJS.ErrnoException {
  return Object.assign(new Error('getaddrinfo ENOTFOUND nowhere.invalid'), { code: 'ENOTFOUND' });
}
