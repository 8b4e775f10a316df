import net from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Settings } from '../../../../config/schema.js';
import type { HttpExtras, HttpProtocol } from '../../../../packages/fetch/index.js';
import { until } from '../../../support/events.js';
import { randomNumbers } from '../../../support/web/fake-web.js';
import { kept, listen, openProtocol, serve } from '../../../support/web/http-kit.js';
import { ODD_ANSWERS, oddBytes } from '../../../support/web/odd-answers.js';
import { answer } from '../../../support/web/raw-server.js';
import { SELF_SIGNED } from '../../../support/web/self-signed.js';

const protocol = (settings: Partial<Settings['http']> = {}, extras: HttpExtras = {}): HttpProtocol =>
  openProtocol({ privateAddresses: 'allow', ...settings }, extras);

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

/** The strict client refuses this at its first byte, and the lenient client accepts it. */
const ODD = 'HTTP/1 200 OK\r\n';

describe('a server that answers oddly', () => {
  it.each(ODD_ANSWERS)('$name', async ({ bytes, expected }) => {
    const server = await serve((_request, socket) => void socket.end(latin1(bytes)));
    const outcome = await protocol().fetch({ url: `${server.origin}/a` });
    if ('failure' in expected) expect(outcome).toMatchObject({ kind: 'retry', code: expected.failure });
    else {
      const { status, body, cut = false } = expected;
      expect(outcome.http).toBe(status);
      if (outcome.kind === 'content') expect([kept(outcome), outcome.truncated]).toEqual([body, cut]);
    }
    expect(server.requests.length).toBeLessThanOrEqual(2);
  });

  it('gets two requests with the same headers, then one for each page', async () => {
    const server = await serve(({ path }, socket) => void socket.end(`${ODD}X-A: b\r\n\r\n${path}`));
    const http = protocol({ agentName: 'bot' });
    const conditions = { ifNoneMatch: '"1"', ifModifiedSince: Date.UTC(2025, 0, 1) };
    expect(kept(await http.fetch({ url: `${server.origin}/1?q=%C3%A9`, ...conditions }))).toBe('/1?q=%C3%A9');
    expect(kept(await http.fetch({ url: `${server.origin}/2` }))).toBe('/2');
    expect(kept(await http.fetch({ url: `${server.origin}/3` }))).toBe('/3');
    expect(server.requests.map(({ path }) => path)).toEqual(['/1?q=%C3%A9', '/1?q=%C3%A9', '/2', '/3']);
    const [strict, lenient] = server.requests.map(({ headers }) => headers);
    expect(lenient).toEqual({ ...strict, connection: 'close' });
    expect(lenient).toMatchObject({ 'if-none-match': '"1"', host: `127.0.0.1:${server.port}` });
    expect(lenient?.['user-agent']).toMatch(/^bot/);
    await until(() => server.openConnections() === 0);
  });

  it('is requested by the strict client again when the lenient one cannot read an answer', async () => {
    const answers = [`${ODD}\r\n1`, `${ODD}\r\n1`, 'rubbish\r\n', `HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n4`];
    const http = protocol();
    const server = await serve(({ number }, socket) => void socket.end(answers[number - 1] ?? 'none'));
    expect(kept(await http.fetch({ url: server.origin }))).toBe('1');
    expect(await http.fetch({ url: server.origin })).toMatchObject({ kind: 'retry', code: 'invalid_response' });
    expect(kept(await http.fetch({ url: server.origin }))).toBe('4');
    expect(server.requests.map(({ headers }) => headers['connection'])).toEqual([
      'keep-alive',
      'close',
      'close',
      'keep-alive',
    ]);
  });

  it('is not remembered for a truncated body', async () => {
    const server = await serve(({ number, path }, socket) => {
      if (number > 1) return answer('200 OK', {}, path);
      return void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhel');
    });
    const http = protocol();
    const outcome = await http.fetch({ url: `${server.origin}/whole` });
    expect([kept(outcome), outcome.kind === 'content' && outcome.truncated]).toEqual(['/whole', false]);
    expect(outcome.lenient).toBe(true);
    expect(await http.fetch({ url: `${server.origin}/next` })).not.toHaveProperty('lenient');
    expect(server.requests.map(({ headers }) => headers['connection'])).toEqual(['keep-alive', 'close', 'keep-alive']);
  });

  it('gets no second request if the strict client got an answer, or nothing arrived', async () => {
    const server = await serve(({ path }, socket) => {
      if (path === '/silent') return undefined;
      if (path === '/nothing') return void socket.destroy();
      return void socket.end(path === '/404' ? answer('404 Not Found') : answer('200 OK'));
    });
    const http = protocol({ timeout: 50, timeLimitMs: 5000 });
    for (const [path, code] of [
      ['/', 'success'],
      ['/404', 'not_found'],
      ['/nothing', 'connection_reset'],
      ['/silent', 'timeout'],
    ]) {
      expect(await http.fetch({ url: server.origin + path })).toMatchObject({ code });
    }
    expect(server.requests).toHaveLength(4);
  });

  it('may answer with a coding, and to a conditional request', async () => {
    const body = gzipSync('hello');
    const server = await serve(({ path }, socket) => {
      const head = path === '/304' ? 'HTTP/1 304 No\r\nETag : "1"\r\n\r\n' : `${ODD}Content-Encoding : gzip\r\n\r\n`;
      socket.end(Buffer.concat([latin1(head), path === '/304' ? Buffer.alloc(0) : body]));
    });
    const http = protocol();
    expect(kept(await http.fetch({ url: server.origin }))).toBe('hello');
    expect(await http.fetch({ url: `${server.origin}/304`, ifNoneMatch: '"1"' })).toMatchObject({
      kind: 'notmodified',
      headers: { etag: '"1"' },
    });
  });
});

describe('the second request', () => {
  const pour = (socket: net.Socket, head: string, piece: string): void => {
    socket.write(head);
    const more = (): void => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on('drain', more);
    more();
  };

  it('has the limit of the head', async () => {
    const server = await serve((_request, socket) => pour(socket, ODD, 'X: y\r\n'.repeat(1000)));
    expect(await protocol().fetch({ url: server.origin })).toMatchObject({ kind: 'retry', code: 'headers_too_large' });
    await until(() => server.openConnections() === 0);
  });

  it.each([
    ['until close', `${ODD}\r\n`, 'x'.repeat(4096)],
    ['in chunks', `${ODD}Transfer-Encoding: chunked\r\n\r\n`, '1\r\nx\r\n'.repeat(1000)],
    ['without head', '<p>', 'x'.repeat(4096)],
  ])('has the limit of the body: %s', async (_name, head, piece) => {
    const server = await serve((_request, socket) => pour(socket, head, piece));
    const outcome = await protocol({ contentLimit: 50_000 }).fetch({ url: server.origin });
    expect(outcome).toMatchObject({ kind: 'content', truncated: true });
    expect(kept(outcome)?.length).toBe(50_000);
    await until(() => server.openConnections() === 0);
  });

  it('shares the time limit with the first', async () => {
    const server = await serve(({ number }, socket) => {
      if (number === 1) return void setTimeout(() => socket.end(ODD), 50);
      const drip = setInterval(() => socket.write('HTTP/1 100 x\r\n\r\n'), 5);
      socket.on('close', () => clearInterval(drip));
    });
    const outcome = await protocol({ timeLimitMs: 500 }).fetch({ url: server.origin });
    expect(outcome).toMatchObject({ kind: 'retry', code: 'too_slow' });
    const [, limit = ''] = /not done after (\d+)/.exec(outcome.message ?? '') ?? [];
    expect(Number(limit)).toBeLessThan(480);
    await until(() => server.openConnections() === 0);
  });

  it.each([
    ['head', ''],
    ['head', ODD],
    ['body', `${ODD}\r\nhello`],
  ])('gives up on silence in the %s (%#)', async (_where, bytes) => {
    const server = await serve(({ number }, socket) => {
      if (number === 1) return `${ODD}\r\n`;
      return void socket.write(bytes);
    });
    const outcome = await protocol({ timeout: 50 }).fetch({ url: server.origin });
    expect(outcome).toMatchObject({ kind: 'retry', code: 'timeout' });
    await until(() => server.openConnections() === 0);
  });

  it('keeps the bytes before a reset', async () => {
    const server = await serve((_request, socket) => {
      socket.write(`${ODD}\r\nhello`, () => setTimeout(() => socket.resetAndDestroy(), 20));
    });
    const outcome = await protocol().fetch({ url: server.origin });
    expect(outcome).toMatchObject({ kind: 'content', truncated: true });
    expect(kept(outcome)).toBe('hello');
  });

  it('ends when it is aborted, and when the protocol is closed, while connecting and while waiting', async () => {
    for (const way of ['abort', 'close'] as const) {
      for (const phase of ['connecting', 'waiting'] as const) {
        let lookups = 0;
        const server = await serve(({ number }, socket) => {
          if (number === 1) socket.end(`${ODD}\r\n`);
        });
        const http = protocol(
          {},
          {
            lookup: () =>
              ++lookups > 1 && phase === 'connecting' ? new Promise(() => undefined) : Promise.resolve(['127.0.0.1']),
          },
        );
        const controller = new AbortController();
        const url = `http://site.example:${server.port}/`;
        const pending = http.fetch({ url, signal: controller.signal });
        await until(() => (phase === 'connecting' ? lookups > 1 : server.requests.length > 1));
        if (way === 'abort') controller.abort();
        else await http.close();
        expect(await pending).toMatchObject({ kind: 'retry', code: 'aborted' });
        await until(() => server.openConnections() === 0);
      }
    }
  });

  it('goes only where the first one may go, also to a known odd origin', async () => {
    const server = await serve((_request, socket) => void socket.end(`${ODD}\r\nhello`));
    const lookup = (): Promise<readonly string[]> => Promise.resolve(['127.0.0.1']);
    const http = protocol({ privateAddresses: 'seeds' }, { lookup });
    const url = `http://site.example:${server.port}/`;
    expect(kept(await http.fetch({ url, allowPrivate: true }))).toBe('hello');
    expect(await http.fetch({ url })).toMatchObject({ kind: 'gone', code: 'private_address' });
    expect(await http.fetch({ url: `${server.origin}/` })).toMatchObject({ kind: 'gone', code: 'private_address' });
    expect(server.requests).toHaveLength(2);
  });

  it.each([
    ['site.test', [SELF_SIGNED.cert], 'success'],
    ['other.test', [SELF_SIGNED.cert], 'tls_failed'],
    ['site.test', [], 'tls_failed'],
  ])('verifies certificates: %s (%#)', async (host, ca, code) => {
    const names: (string | false | null)[] = [];
    const tls = createTlsServer({ ...SELF_SIGNED }, (socket) => {
      socket.on('error', () => undefined);
      names.push(socket.servername);
      socket.once('data', () => socket.end(`${ODD}\r\nhello`));
    });
    const port = await listen(tls);
    const http = protocol({}, { lookup: () => Promise.resolve(['127.0.0.1']), connect: { ca } });
    expect(await http.fetch({ url: `https://${host}:${port}/` })).toMatchObject({ code });
    if (code === 'success') expect(names).toEqual([host, host]);
  });

  it('can go to a host that is an IPv6 address', async () => {
    const server = net.createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', (head) => socket.end(`${ODD}\r\n${/^host: (.*)\r$/im.exec(head.toString())?.[1] ?? ''}`));
    });
    const port = await listen(server, '::1').catch(() => undefined);
    if (port === undefined) return;
    expect(kept(await protocol().fetch({ url: `http://[::1]:${port}/` }))).toBe(`[::1]:${port}`);
  });
});

describe('any bytes', () => {
  it('have an outcome after at most three requests', async () => {
    const random = randomNumbers(20_250_102);
    const answers = Array.from({ length: 300 }, () => latin1(oddBytes(random)));
    // Each try has its own name, because a known odd origin would skip the strict client.
    const server = await serve(({ headers }, socket) => {
      socket.end(answers[parseInt(headers['host'] ?? '', 10)] ?? '');
    });
    const http = protocol({ headerLimit: 4096, contentLimit: 100 }, { lookup: () => Promise.resolve(['127.0.0.1']) });
    const outcomes = await Promise.all(
      answers.map((_, i) => http.fetch({ url: `http://${i}.site.example:${server.port}/` })),
    );
    const codes = new Set(outcomes.map(({ code }) => code));
    for (const code of ['success', 'invalid_response', 'connection_reset', 'headers_too_large'])
      expect(codes).toContain(code);
    expect(codes).not.toContain('network_error');
    for (const outcome of outcomes) {
      if (outcome.kind === 'content') expect(outcome.body.length).toBeLessThanOrEqual(100);
    }
    const asked = new Map<string, number>();
    for (const { headers } of server.requests) {
      const host = headers['host'] ?? '';
      asked.set(host, (asked.get(host) ?? 0) + 1);
    }
    expect(Math.max(...asked.values())).toBeLessThanOrEqual(3);
    await until(() => server.openConnections() === 0);
  });
});
