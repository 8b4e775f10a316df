import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jobs, openContext, type Plugin, type Protocol } from '../../packages/webcrawl/internal.js';
import { writeExamples } from '../support/docs/doc-examples.js';

/** The protocol of docs/PLUGINS.md that renders pages, with a real browser. */
interface Example {
  browserProtocol(http: Protocol, options: { executablePath: string; timeout: number; contentLimit: number }): Plugin;
}

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
);

let folder: string;
let example: Example;
const servers: Server[] = [];
beforeAll(async () => {
  expect(CHROMIUM, 'expected Chromium, for instance by apt-get install chromium').toBeDefined();
  folder = await mkdtemp(join(tmpdir(), 'webcrawl-browser-'));
  await writeExamples(folder, 'docs/PLUGINS.md', ['playwright-core']);
  example = (await import(pathToFileURL(join(folder, 'protocol-browser.mjs')).href)) as Example;
});
afterAll(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  await rm(folder, { recursive: true, force: true });
});

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A server that records its requests. */
async function serve(answers: Readonly<Record<string, string | Answer>>, host = '127.0.0.1') {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    const answer = answers[path];
    if (typeof answer === 'function') return answer(request, response);
    const type = path.endsWith('.js') ? 'text/javascript' : path.endsWith('.json') ? 'application/json' : 'text/html';
    response.writeHead(answer === undefined ? 404 : 200, {
      'content-type': path === '/robots.txt' ? 'text/plain' : type,
    });
    response.end(answer);
  });
  server.on('upgrade', (request, socket) => {
    asked.push(`upgrade ${request.url ?? ''}`);
    socket.destroy();
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return { asked, origin: `http://${host}:${(server.address() as AddressInfo).port}` };
}

async function crawled(url: string, settings: Readonly<Record<string, unknown>> = {}, timeout = 60_000) {
  await using crawl = await openContext({
    table: 'memory:',
    settings: { 'fetcher.serverDelay': 0, 'http.timeLimitMs': 90_000, ...settings },
    plugins: (defaults) => {
      const http = defaults.find(({ name }) => name === 'protocol-http')!.protocol!;
      return [...defaults, example.browserProtocol(http, { executablePath: CHROMIUM!, timeout, contentLimit: 20_000 })];
    },
  });
  const { counters } = await jobs.crawl(crawl, { seeds: [url] });
  const pages = new Map<string, { title: string | undefined; text: string | undefined; code: string | undefined }>();
  for await (const { url: at, title, text, protocolStatus } of crawl.pages({
    fields: ['title', 'text', 'protocolStatus'],
  })) {
    pages.set(new URL(at).pathname, { title, text, code: protocolStatus?.code });
  }
  return { counters, pages };
}

const SCRIPT = `
  const link = document.createElement('a');
  link.href = '/made';
  link.textContent = 'made by a script';
  document.body.append(link);
  const answer = await fetch('/data.json');
  document.title = (await answer.json()).title;
`;

describe('a protocol that renders', () => {
  it('finds what scripts add to a page, and obeys robots.txt', async () => {
    const { asked, origin } = await serve({
      '/robots.txt': 'User-agent: *\nDisallow: /private',
      '/': '<title>Empty</title><body>grüße<script type=module src=/app.js></script><a href=/private>p</a>',
      '/app.js': SCRIPT,
      '/data.json': '{"title": "Filled"}',
      '/made': '<title>Made</title>',
      '/private': 'private',
    });
    const { counters, pages } = await crawled(`${origin}/`);
    expect(pages.get('/')).toMatchObject({
      title: 'Filled',
      text: expect.stringContaining('made by a script') as string,
    });
    expect(pages.get('/made')).toMatchObject({ title: 'Made' });
    expect(counters).toMatchObject({ success: 2, robots_denied: 1 });
    expect(asked.sort()).toEqual(['/', '/app.js', '/data.json', '/made', '/robots.txt']);
  }, 300_000);

  it('lets no script reach a private address, a frame, a web socket or another page', async () => {
    const inside = await serve({ '/secret': 'secret' }, '127.0.0.2');
    const { asked, origin } = await serve({
      '/': `<title>Start</title><body><iframe src=/frame></iframe><img src=/image><script type=module>
        const tried = [];
        // The title is set after each: the page counts as done when it asks for nothing, and a web socket is no such request.
        const attempt = async (name, run) => {
          try { await run(); tried.push(name); } catch { tried.push('no ' + name); }
          document.title = tried.join(', ');
        };
        await attempt('inside', () => fetch('${inside.origin}/secret', { mode: 'no-cors' }));
        await attempt('post', () => fetch('/post', { method: 'POST' }));
        await attempt('redirect', () => fetch('/leads'));
        await attempt('socket', () => new Promise((resolve, reject) => {
          const socket = new WebSocket('ws://127.0.0.1:' + location.port + '/socket');
          socket.onopen = resolve;
          socket.onclose = socket.onerror = reject;
        }));
      </script>`,
      '/leads': (_request, response) => response.writeHead(302, { location: `${inside.origin}/secret` }).end(),
    });
    const { pages } = await crawled(`${origin}/`, { 'urlfilter.regexFile': '' });
    expect(pages.get('/')?.title).toContain('no inside, no post, no redirect');
    expect(inside.asked).toEqual([]);
    // A frame is a link, and crawled as one: once, and not by the browser.
    expect(asked.sort()).toEqual(['/', '/frame', '/leads', '/robots.txt']);
  }, 300_000);

  it('ends a page that never finishes, and limits the text of a page', async () => {
    const { origin } = await serve({
      '/': '<a href=/loop>l</a><a href=/long>l</a>',
      '/loop': '<script>for (;;);</script>',
      '/long': '<title>Long</title><body><script>document.body.append("x".repeat(100000))</script>',
    });
    const { pages, counters } = await crawled(`${origin}/`, { 'db.fetchRetryMax': 0 }, 8_000);
    expect(pages.get('/loop')?.code).toBe('render_failed');
    expect(pages.get('/long')?.title).toBe('Long');
    expect(pages.get('/long')?.text?.length).toBeLessThanOrEqual(20_000);
    expect(counters).toMatchObject({ render_failed: 1 });
  }, 300_000);
});
