import { afterEach, expect, it } from 'vitest';
import { explain, jobs } from '../../../packages/webcrawl/internal.js';
import { links } from '../../support/web/fake-web.js';
import { round, rowOf } from '../../support/job-steps.js';
import { answer, rawServer, type RawRequest, type RawServer } from '../../support/web/raw-server.js';
import { allRows, testCrawl } from '../../support/test-crawl.js';

const servers: RawServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const SECRETS = /topsecret|bWU6dG9wc2VjcmV0|session=/;
const isTrusted = ({ headers }: RawRequest): boolean => headers.authorization !== undefined || 'cookie' in headers;

/** A site that needs a password, and leads to every kind of other origin: by redirect, link and robots.txt. */
async function setUp() {
  const handler = ({ path, headers }: RawRequest): Uint8Array => {
    const to = (location: string): Uint8Array => answer('302 Found', { Location: location });
    const others = [`http://b.example:${a.port}`, `http://a.example:${b.port}`, `http://sub.a.example:${a.port}`];
    if (headers.host !== `a.example:${a.port}`) {
      if (path === '/back') return to(`http://a.example:${a.port}/came-back`);
      return answer('200 OK', { 'Content-Type': 'text/html' }, path === '/robots.txt' ? '' : 'elsewhere');
    }
    if (path === '/robots.txt') return to(`${others[0]}/their-robots.txt`);
    if (!headers.authorization) return answer('401 Unauthorized');
    const jump = /^\/jump(\d)$/.exec(path)?.[1];
    if (jump !== undefined) return to(`${others[Number(jump)]}/landed`);
    if (path === '/same') return to('/came-home');
    const body = links(...others, '/jump0', '/jump1', '/jump2', '/same', `${others[0]}/back`);
    return answer('200 OK', { 'Content-Type': 'text/html' }, path === '/' ? body : 'in');
  };
  const a = await rawServer(handler);
  const b = await rawServer(handler);
  servers.push(a, b);
  const origin = `http://a.example:${a.port}`;
  const crawl = await testCrawl(undefined, {
    settings: {
      'http.privateAddresses': 'allow',
      'http.credentials': { [origin]: 'me:topsecret' },
      'http.cookies': { [origin]: 'session=topsecret' },
    },
  });
  return { origin, crawl, a, b };
}

it('credentials and cookies are sent only to their origin, whatever leads elsewhere', async () => {
  const { origin, crawl, a, b } = await setUp();
  await jobs.inject(crawl, { seeds: [`${origin}/`] });
  for (let i = 0; i < 2; i++) await round(crawl);

  const asked = [...a.requests, ...b.requests];
  const host = new URL(origin).host;
  expect(asked.filter(({ headers }) => headers.host === host).every(isTrusted)).toBe(true);
  expect(asked.filter(({ headers }) => headers.host !== host).some(isTrusted)).toBe(false);
  const paths = asked.map(({ path, headers }) => `${headers.host === host ? 'own' : 'other'} ${path}`);
  expect(paths).toEqual(
    expect.arrayContaining(['own /robots.txt', 'other /their-robots.txt', 'own /jump1', 'other /landed', 'own /same']),
  );
  expect(paths).toEqual(expect.arrayContaining(['own /came-home', 'other /back', 'own /came-back', 'other /']));
  expect((await rowOf(crawl, `${origin}/came-back`, 'status')).status).toBe('fetched');

  expect(JSON.stringify(await allRows(crawl))).not.toMatch(SECRETS);
  expect(JSON.stringify(await explain(crawl, `${origin}/`))).not.toMatch(SECRETS);
  expect(JSON.stringify(crawl.settingSources)).not.toMatch(SECRETS);
  await crawl.close();
});

it('no Set-Cookie of a server is stored, not even of redirects and errors', async () => {
  const server = await rawServer(({ path }) => {
    const headers = {
      'Content-Type': 'text/html',
      'SET-cookie': 'id=topsecret',
      'Set-Cookie2': 'old=topsecret',
      'X-A': 'b',
    };
    if (path === '/robots.txt') return answer('404 Not Found', headers);
    if (path === '/gone') return answer('410 Gone', headers);
    return path === '/to'
      ? answer('302 Found', { ...headers, Location: '/' })
      : answer('200 OK', headers, links('/to', '/gone'));
  });
  servers.push(server);
  await using crawl = await testCrawl(undefined);
  await jobs.inject(crawl, { seeds: [`${server.origin}/`] });
  for (let i = 0; i < 2; i++) await round(crawl);
  expect(server.requests.map(({ path }) => path).sort()).toEqual(['/', '/gone', '/robots.txt', '/to']);
  const rows = JSON.stringify(await allRows(crawl));
  expect(rows).toContain('"x-a":"b"');
  expect(rows).not.toMatch(/topsecret|set-cookie/i);
});
