import { describe, expect, it, onTestFinished } from 'vitest';
import { CrawlError } from '../../packages/errors/index.js';
import { createFormGuard } from '../../packages/serve/http/form-guard.js';
import { createRoutes } from '../../packages/serve/routes.js';
import { servePages } from '../../packages/serve/index.js';
import { fakeSource } from '../support/web/fake-source.js';

const OURS = 'https://www.example.com';
const OTHERS = ['https://evil.example', 'https://www.example.com.evil.example', 'http://www.example.com', 'null'];

/** What an allowed origin may do with each path of the server. Paths that are not here do not exist. */
const ROUTES = {
  '/': 'frame',
  '/search': 'frame',
  '/cached': 'frame',
  '/api/search': 'read',
  '/api/suggest': 'read',
  '/box.js': 'read',
  '/api/status': 'nothing',
  '/dashboard': 'nothing',
  '/dashboard/events': 'nothing',
  '/rules': 'nothing',
  '/rules/report': 'nothing',
  '/api/rules': 'nothing',
  '/api/rules/report': 'nothing',
  '/rules/prefixes': 'nothing',
  '/api/prefixes': 'nothing',
  '/rules/proposals': 'nothing',
  '/api/proposals': 'nothing',
  '/rules/change': 'nothing',
  '/rules/apply': 'nothing',
  '/changes': 'nothing',
  '/changes.json': 'nothing',
  '/changes.atom': 'nothing',
  '/changes/events': 'nothing',
  '/api/changes': 'nothing',
  '/metrics': 'nothing',
  '/healthz': 'nothing',
  '/opensearch.xml': 'nothing',
  '/style.css': 'nothing',
  '/icon.svg': 'nothing',
  '/robots.txt': 'nothing',
  '/logo': 'nothing',
} as const;

async function serve(allowedOrigins: readonly string[] = [OURS], change: Parameters<typeof fakeSource>[0] = {}) {
  const served = await servePages(fakeSource(change), { port: 0, allowedOrigins: [...allowedOrigins] });
  onTestFinished(() => served.close());
  return async (path: string, { origin, ...init }: RequestInit & { origin?: string } = {}) => {
    const headers = { ...init.headers, ...(origin !== undefined && { origin }) };
    const ended = new AbortController();
    const response = await fetch(new URL(path, served.url), {
      ...init,
      headers,
      redirect: 'manual',
      signal: ended.signal,
    });
    onTestFinished(() => ended.abort());
    return response;
  };
}

/** What the headers of a response let pages of an origin do. */
function allowedBy({ headers }: Response): string {
  const policy = headers.get('content-security-policy')!;
  const isRead = headers.get('cross-origin-resource-policy') !== 'same-origin';
  const isFrame = !policy.endsWith("frame-ancestors 'none'") && !policy.includes("frame-ancestors 'none';");
  return isRead ? 'read' : isFrame ? 'frame' : 'nothing';
}

const pathsOf = (routes: object): string[] => Object.keys(routes);

describe('pages of other origins', () => {
  it('may do what the list of all routes says', async () => {
    const ask = await serve();
    for (const [path, expected] of Object.entries(ROUTES)) {
      const response = await ask(`${path}?q=tea`, { origin: OURS });
      expect([path, allowedBy(response)]).toEqual([path, expected]);
      expect(response.headers.get('access-control-allow-origin'), path).toBe(expected === 'read' ? OURS : null);
      expect(response.headers.get('access-control-allow-credentials'), path).toBeNull();
      const policy = response.headers.get('content-security-policy')!;
      if (expected === 'frame') expect(policy, path).toContain(`frame-ancestors 'self' ${OURS}`);
      else expect(policy, path).not.toContain(OURS);
    }
    const source = fakeSource();
    const guard = createFormGuard({ changes: 'local', address: '127.0.0.1', names: [] });
    const unused = {} as never;
    const { routes, forms } = createRoutes({
      source,
      guard,
      stats: unused,
      history: unused,
      metrics: unused,
      site: { logo: {} } as never,
      replies: unused,
      onError: unused,
    });
    expect([...pathsOf(routes), ...pathsOf(forms)].sort()).toEqual(Object.keys(ROUTES).sort());
  });

  it('may do nothing if the setting does not name them', async () => {
    const [ask, closed] = await Promise.all([serve(), serve([])]);
    for (const path of ['/search?q=tea', '/api/search?q=tea', '/api/suggest?q=tea', '/box.js']) {
      for (const origin of [...OTHERS, undefined]) {
        const { headers } = await ask(path, origin === undefined ? {} : { origin });
        expect(headers.get('access-control-allow-origin'), `${path} ${origin}`).toBeNull();
        expect(headers.get('vary')?.includes('origin') ?? false, path).toBe(!path.startsWith('/search'));
      }
      expect(allowedBy(await closed(path, { origin: OURS })), path).toBe('nothing');
      expect((await closed(path, { origin: OURS })).headers.get('access-control-allow-origin'), path).toBeNull();
    }
  });

  it('get no successful response to a preflight', async () => {
    const ask = await serve();
    const headers = { 'access-control-request-method': 'GET' };
    for (const path of ['/api/search', '/api/rules', '/search', '/none']) {
      expect((await ask(path, { method: 'OPTIONS', origin: OURS, headers })).ok, path).toBe(false);
    }
  });

  it('can read why a search fails', async () => {
    const ask = await serve([OURS], { search: () => Promise.reject(new CrawlError('NO_INDEX', 'none')) });
    const response = await ask('/api/search?q=tea', { origin: OURS });
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([503, OURS]);
  });
});
