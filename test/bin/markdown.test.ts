import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openChecks } from '../../packages/webcrawl/index.js';
import { suiteFolder } from '../support/files/temp-folder.js';
import { SELF_SIGNED } from '../support/web/self-signed.js';
import { serveWeb, type ServedWeb } from '../support/web/serve-web.js';
import { runLine } from './test-io.js';

const folder = suiteFolder();
const TABLE = ['--table', `level:${join(folder, 'table')}`];
const PAGE =
  '<html lang=en><title>Tea</title><meta property="article:published_time" content="2024-05-06T07:08:09Z">' +
  '<main><h1>Tea</h1><p>Sencha is a <b>green</b> tea from Japan, and it is steamed.</p><p><a href=/other>Other</a></p></main>';
let web: ServedWeb;
beforeAll(async () => {
  web = await serveWeb({
    '/robots.txt': { html: 'User-agent: *\nDisallow: /members/\n', contentType: 'text/plain' },
    '/tea': { html: PAGE },
    '/moved': { location: '/tea' },
    '/refresh': { html: '<meta http-equiv=refresh content="0; url=/tea">' },
    '/to-members': { location: '/members/1' },
    '/loop': { location: '/loop' },
    '/to-script': { location: 'javascript:alert(1)' },
    '/down': { status: 500 },
    '/picture': { html: 'GIF89a', contentType: 'image/gif' },
    '/app': { html: '<title>App</title><div id=root></div><script src=/app.js></script>' },
    '/llms.txt': { html: 'Plain notes.', contentType: 'text/plain' },
    '/notes': { html: 'Plain notes.', contentType: 'text/plain' },
  });
});
afterAll(() => web.close());

const markdown = (path: string, ...options: string[]) =>
  runLine([...TABLE, 'markdown', `${web.origin}${path}`, '--delay', '0', ...options]);

test.each(['/tea', '/moved', '/refresh'])('%s: the main content is printed as Markdown', async (path) => {
  const { code, out, err } = await markdown(path);
  expect([code, err]).toEqual([0, '']);
  expect(out).toBe(
    '# Tea\n\nSencha is a **green** tea from Japan, and it is steamed.\n\n[Other](/other)\n'.replace(
      '(/',
      `(${web.origin}/`,
    ),
  );
});

test('--json adds the title, the language, the dates and the links', async () => {
  const { out } = await markdown('/moved', '--json');
  expect(JSON.parse(out)).toMatchObject({
    kind: 'page',
    url: `${web.origin}/tea`,
    title: 'Tea',
    language: 'en',
    publishedAt: Date.UTC(2024, 4, 6, 7, 8, 9),
    links: [{ url: `${web.origin}/other`, anchor: 'Other' }],
  });
});

test('a document that is not HTML gives its text', async () => {
  expect((await markdown('/notes')).out).toBe('Plain notes.\n');
});

test('a page longer than http.contentLimit is printed, and the missing rest is told', async () => {
  const { code, err } = await markdown('/tea', '--set', 'http.contentLimit=150');
  expect(code).toBe(0);
  expect(err).toContain('The page is incomplete');
  const { out } = await markdown('/tea', '--set', 'http.contentLimit=150', '--json');
  expect(JSON.parse(out)).toMatchObject({ kind: 'page', truncated: true });
});

test.each([
  ['/members/2', 'robots_denied', 1, 'robots.txt disallows it (line 2: Disallow: /members/)'],
  ['/to-members', 'robots_denied', 1, '/members/1: robots.txt'],
  ['/lost', 'not_found', 1, '404'],
  ['/loop', 'redirect_exceeded', 1, 'more than 5 redirects'],
  ['/to-script', 'url_rejected', 1, 'it redirects to no http or https URL'],
  ['/down', 'http_error', 75, '500'],
  ['/picture', 'unsupported_type', 1, 'image/gif'],
  ['/app', 'needs_scripts', 1, 'scripts'],
])('%s fails with %s and status %d', async (path, failure, status, text) => {
  const { code, out, err } = await markdown(path);
  expect([code, out]).toEqual([status, '']);
  expect(err).toMatch(new RegExp(`^error \\[${failure}\\]: ${web.origin}`));
  expect(err).toContain(text);
  const json = JSON.parse((await markdown(path, '--json')).out) as unknown;
  expect(json).toMatchObject({ kind: 'failed', code: failure });
});

test('a host that redirects to a private address gets no request there', async () => {
  const other = await serveWeb({ '/': { location: `${web.origin}/tea` } }, '127.0.0.9');
  try {
    const before = web.requests.length;
    const { code, err } = await runLine(['markdown', `${other.origin}/`, '--delay', '0']);
    expect(code).toBe(1);
    expect(err).toContain('error [private_address]');
    expect(web.requests).toHaveLength(before);
  } finally {
    await other.close();
  }
});

test('the library returns the same, and no host of a URL may be private if the setting denies it', async () => {
  await using checks = await openChecks({ settings: { 'fetcher.serverDelay': 0 } });
  expect(await checks.markdown(`${web.origin}/tea`)).toMatchObject({ kind: 'page', title: 'Tea' });
  await using strict = await openChecks({ settings: { 'http.privateAddresses': 'deny' } });
  expect(await strict.markdown(`${web.origin}/tea`)).toMatchObject({ kind: 'failed', code: 'private_address' });
});

test('a site without a scheme is crawled by http if nothing responds by https, and a file of its name wins', async () => {
  const site = web.origin.slice('http://'.length);
  expect((await runLine(['markdown', `${site}/tea`, '--delay', '0'])).out).toContain('Sencha');
  expect((await runLine(['markdown', `${site}/llms.txt`, '--delay', '0'])).out).toBe('Plain notes.\n');
  const injected = await runLine([...TABLE, 'inject', `${site}/tea`, '--set', 'fetcher.serverDelay=0', '--json']);
  expect(JSON.parse(injected.out)).toMatchObject({ counters: { injected: 1 } });
  expect((await runLine([...TABLE, 'readdb', '--url', `${web.origin}/tea`])).code).toBe(0);
  const name = join(folder, 'seeds.example');
  await writeFile(name, `${web.origin}/notes\n`);
  expect((await runLine([...TABLE, 'inject', name])).code).toBe(0);
});

test('a site without a scheme whose host has no address is an error', async () => {
  const { code, err } = await runLine(['markdown', 'site.invalid', '--delay', '0']);
  expect([code, err]).toEqual([66, 'error [BAD_INPUT]: no host named site.invalid was found\n']);
});

test('a name too long for a file is neither a site nor a file', async () => {
  const name = 'a'.repeat(300);
  const { code, err } = await runLine([...TABLE, 'inject', name]);
  expect([code, err]).toEqual([66, `error [BAD_INPUT]: ${name}: this is neither a URL nor a file of seeds\n`]);
});

test('a site without a scheme is requested by https if a server responds there', async () => {
  const server = createServer(SELF_SIGNED, (_, response) => response.end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const site = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const options = ['--set', 'fetcher.serverDelay=0'];
    expect((await runLine([...TABLE, 'inject', site, ...options])).code).toBe(0);
    expect((await runLine([...TABLE, 'readdb', '--url', `https://${site}/`])).code).toBe(0);
  } finally {
    server.close();
  }
});
