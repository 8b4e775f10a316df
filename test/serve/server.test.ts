import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { servePages, type ServeAddress, type RunningServer, type ServeSource } from '../../packages/serve/index.js';
import { aRunningStatus, fakeSource } from '../support/web/fake-source.js';

async function serve(change: Partial<ServeSource> = {}, where: ServeAddress = {}): Promise<RunningServer> {
  const served = await servePages(fakeSource(change), { port: 0, ...where });
  onTestFinished(() => served.close());
  return served;
}

/** Sends raw bytes; `answer` is the whole answer once the connection has ended. */
function raw(port: number, text: string, allowHalfOpen = false): { socket: Socket; answer: Promise<string> } {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen });
  onTestFinished(() => void socket.destroy());
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('error', () => undefined);
  socket.write(text);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  return { socket, answer: closed.then(() => Buffer.concat(chunks).toString('utf8')) };
}

const request = (head: string): string => `${head}\r\nConnection: close\r\n\r\n`;

describe('a request', () => {
  it.each([
    ['localhost', 200],
    ['127.0.0.1:8420', 200],
    ['[::1]:8420', 200],
    ['LOCALHOST.:80', 200],
    ['app.localhost', 200],
    ['192.168.0.7', 200],
    ['search.example.com', 200],
    ['example.com', 421],
    ['localhost.example.com', 421],
    ['127.0.0.1.example.com', 421],
    ['evil"><script>', 421],
  ])('for the host %s is answered with %s', async (host, status) => {
    const { port } = await serve({}, { names: ['Search.example.com'] });
    const answer = await raw(port, request(`GET / HTTP/1.1\r\nHost: ${host}`)).answer;
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    if (status === 421) expect(answer).toContain('content-type: text/plain');
  });

  it('has headers that isolate a page, in every answer', async () => {
    const { url } = await serve();
    for (const path of ['', 'search?q=a', 'dashboard', 'none', 'api/status', 'style.css', 'search?q=a&page=99']) {
      const { headers } = await fetch(url + path);
      expect(headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; .*base-uri 'none'; frame-ancestors 'none'/,
      );
      expect(headers.get('content-security-policy')).not.toContain('unsafe');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  it('can be conditional by ETag, and HEAD is GET without a body', async () => {
    const { url } = await serve();
    for (const path of ['', 'search?q=a', 'style.css', 'icon.svg', 'opensearch.xml']) {
      const first = await fetch(url + path);
      const etag = first.headers.get('etag')!;
      const again = await fetch(url + path, { headers: { 'if-none-match': `"x", W/${etag}` } });
      expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, '']);
      const head = await fetch(url + path, { method: 'HEAD' });
      expect([head.status, head.headers.get('etag')]).toEqual([200, etag]);
      expect(Number(head.headers.get('content-length'))).toBe((await first.arrayBuffer()).byteLength);
    }
    expect((await fetch(`${url}style.css`)).headers.get('cache-control')).toBe('public, max-age=86400');
    expect((await fetch(`${url}search?q=a`)).headers.get('cache-control')).toBe('private, no-cache');
    for (const path of ['api/search?q=a', 'metrics', 'dashboard', 'none']) {
      expect((await fetch(url + path)).headers.get('cache-control')).toBe('no-store');
    }
    expect((await fetch(`${url}dashboard/events`, { method: 'HEAD' })).status).toBe(200);
  });

  it('with another method, or for an unknown path, gets an error', async () => {
    const { url } = await serve();
    const post = await fetch(`${url}search?q=a`, { method: 'POST', body: 'x'.repeat(1_000_000) });
    expect([post.status, post.headers.get('allow'), post.headers.get('connection')]).toEqual([
      405,
      'GET, HEAD',
      'close',
    ]);
    for (const path of ['none', '..%2fpackage.json', 'constructor', '__proto__', 'search/']) {
      expect((await fetch(url + path)).status).toBe(404);
    }
    expect(await (await fetch(`${url}api/none`)).json()).toMatchObject({ error: { code: 'NOT_FOUND' } });
  });

  it.each([
    ['GET /search?q=a HTTP/1.0', 200],
    ['GET http://localhost/search?q=a HTTP/1.1\r\nHost: localhost', 200],
    ['GET //example.com/ HTTP/1.1\r\nHost: localhost', 404],
    ['OPTIONS * HTTP/1.1\r\nHost: localhost', 404],
    ['GET / HTTP/1.1', 400],
    ['GET /search?q=%ff%00%E2%80%AE+%zz HTTP/1.1\r\nHost: localhost', 200],
    [`GET /search?q=${'a+'.repeat(5_000)} HTTP/1.1\r\nHost: localhost`, 414],
    [`GET /search?q=${'word+'.repeat(20_000)} HTTP/1.1\r\nHost: localhost`, 431],
    ['nonsense', 400],
  ])('%.60s is answered with %s', async (head, status) => {
    const { port } = await serve();
    expect(await raw(port, request(head)).answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });
});

describe('clients', () => {
  it('a hundred at once are all answered', async () => {
    let most = 0;
    let now = 0;
    let release = (): void => {};
    const all = new Promise<void>((resolve) => (release = resolve));
    const { url } = await serve({
      async search(query, options) {
        most = Math.max(most, (now += 1));
        if (now === 100) release();
        await all;
        return fakeSource().search(query, options);
      },
    });
    const answers = await Promise.all(
      Array.from({ length: 100 }, async (_, i) => (await fetch(`${url}search?q=word${i}`)).text()),
    );
    expect(most).toBe(100);
    answers.forEach((text, i) => expect(text).toContain(`value="word${i}"`));
  });

  it('that never read cost a limited amount of memory, and keep no others out', async () => {
    const { url, port } = await serve({ status: () => Promise.resolve(aRunningStatus()) });
    const silent = Array.from({ length: 20 }, () =>
      raw(port, `GET /dashboard HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(500)),
    );
    for (const { socket } of silent) socket.pause();
    expect((await fetch(`${url}search?q=a`)).status).toBe(200);
  });

  it('with many requests on one connection get answers one by one, in order', async () => {
    let most = 0;
    let now = 0;
    const asked: string[] = [];
    const { port } = await serve({
      async search(query, options) {
        most = Math.max(most, (now += 1));
        asked.push(query);
        await new Promise((resolve) => setImmediate(resolve));
        now -= 1;
        return fakeSource().search(query, options);
      },
    });
    const words = Array.from({ length: 50 }, (_, i) => `word${i}`);
    const requests = words.map((word) => `GET /api/search?q=${word} HTTP/1.1\r\nHost: localhost\r\n`);
    const answer = await raw(port, `${requests.join('\r\n')}Connection: close\r\n\r\n`).answer;
    expect([...answer.matchAll(/"query":"(word\d+)"/g)].map(([, word]) => word)).toEqual(words);
    expect([most, asked]).toEqual([1, words]);
  });

  it('with very many requests behind an answer that never ends are dropped', async () => {
    const { url, port } = await serve();
    const { socket, answer } = raw(port, 'GET /dashboard/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(socket, 'data');
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(200));
    expect(await answer).toContain('text/event-stream');
    expect((await fetch(url)).status).toBe(200);
  });

  it('that disconnect stop the work for them', async () => {
    let aborted = (): void => {};
    const isAborted = new Promise<void>((resolve) => (aborted = resolve));
    let asked = (): void => {};
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    const { port } = await serve({
      search: (_query, { signal }) =>
        new Promise((_resolve, reject) => {
          asked();
          signal.addEventListener('abort', () => {
            aborted();
            reject(new Error('gone'));
          });
        }),
    });
    const { socket } = raw(port, 'GET /search?q=a HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await isAsked;
    socket.destroy();
    await isAborted;
  });

  it('that send their headers slowly are dropped, even if they go on sending', { timeout: 120_000 }, async () => {
    const { port } = await serve();
    const { socket, answer } = raw(port, 'GET / HTTP/1.1\r\nHost: localhost\r\n', true);
    const drip = setInterval(() => socket.writable && socket.write('X-A: b\r\n'), 1_000);
    onTestFinished(() => clearInterval(drip));
    expect(await answer).toMatch(/^HTTP\/1.1 408 /);
  });
});

describe('a server', () => {
  it('states what to do if its port is in use', async () => {
    const { port, url } = await serve();
    expect(url).toBe(`http://localhost:${port}/`);
    await expect(servePages(fakeSource(), { port })).rejects.toMatchObject({
      code: 'CANNOT_LISTEN',
      message: `cannot listen on port ${port} of 127.0.0.1: the port is in use`,
      hint: expect.stringContaining('--port') as string,
    });
    await expect(servePages(fakeSource(), { port: 0, address: '203.0.113.1' })).rejects.toMatchObject({
      code: 'CANNOT_LISTEN',
      hint: expect.stringContaining('--listen') as string,
    });
  });

  it('can only be reached from this machine by default', async () => {
    const { port } = await serve();
    const socket = connect(port, '127.0.0.2');
    const [event] = await Promise.race([
      once(socket, 'error').then(() => ['refused']),
      once(socket, 'connect').then(() => ['connected']),
    ]);
    socket.destroy();
    expect(event).toBe('refused');
  });

  it('ends pending work when it is closed: answers, events, idle connections', async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    let asked = (): void => {};
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    const served = await serve({
      async search(query, options) {
        asked();
        await held;
        return fakeSource().search(query, options);
      },
    });
    const idle = raw(served.port, 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const events = raw(served.port, 'GET /dashboard/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(events.socket, 'data');
    const answer = fetch(`${served.url}search?q=a`);
    await isAsked;
    const closed = served.close();
    release();
    expect((await answer).status).toBe(200);
    await closed;
    await served.close();
    expect(await idle.answer).toContain('200 OK');
    expect(await events.answer).toContain('data: {');
    await expect(fetch(served.url)).rejects.toThrow();
  });

  it('sends the same figures to all clients, and refuses the hundred and first', async () => {
    let step = 0;
    const { port, url } = await serve({ status: () => Promise.resolve(aRunningStatus((step += 1))) });
    const viewers = Array.from({ length: 100 }, () =>
      raw(port, 'GET /dashboard/events HTTP/1.1\r\nHost: localhost\r\n\r\n'),
    );
    await Promise.all(viewers.map(({ socket }) => once(socket, 'data')));
    expect((await fetch(`${url}dashboard/events`)).status).toBe(503);
    viewers[0]!.socket.destroy();
    while ((await fetch(`${url}dashboard/events`, { method: 'HEAD' })).status !== 200);
  });
});
