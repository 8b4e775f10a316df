import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadSettings } from '../../config/index.js';

const load = (http: Record<string, unknown>) => loadSettings({ overrides: { http } });
const problem = (http: Record<string, unknown>): string => {
  try {
    load(http);
  } catch (error) {
    return (error as Error).message;
  }
  return 'taken';
};

describe('http.headers', () => {
  it('accepts names and values that can be sent', () => {
    const headers = { From: 'me@example.com', 'X-Api.Key': 'a b\tc' };
    expect(load({ headers }).settings.http.headers).toEqual(headers);
  });

  it.each([
    [{ Host: 'x' }, 'no header Host, which follows from the URL'],
    [{ 'Transfer-Encoding': 'chunked' }, 'which belongs to the connection'],
    [{ connection: 'close' }, 'which belongs to the connection'],
    [{ 'Content-LENGTH': '5' }, 'which belongs to the connection'],
    [{ Range: 'bytes=0-1' }, 'which follows from the stored copy'],
    [{ 'if-none-match': '*' }, 'which follows from the stored copy'],
    [{ 'User-Agent': 'x' }, 'see http.agentName'],
    [{ 'accept-encoding': 'zip' }, 'what can be decoded'],
    [{ Authorization: 'Bearer x' }, 'would go to every server, see http.credentials'],
    [{ COOKIE: 'a=b' }, 'would go to every server, see http.cookies'],
    [{ 'Proxy-Authorization': 'x' }, 'see http.proxy'],
    [{ 'X-A': '1', 'x-a': '2' }, 'the header x-a only once'],
    [{ 'X A': '1' }, 'names of letters'],
    [{ ':path': '/' }, 'names of letters'],
    [{ '': '1' }, 'names of letters'],
    [{ 'X-A': 'a\r\nb' }, 'printable ASCII as X-A'],
    [{ 'X-A': 'é' }, 'printable ASCII as X-A'],
    [{ 'X-A': 1 }, 'a JSON object of strings'],
    [['X-A'], 'a JSON object of strings'],
    ['X-A: 1', 'a JSON object of strings'],
  ])('rejects %j', (headers, text) => {
    expect(problem({ headers })).toContain(text);
  });
});

describe('http.credentials and http.cookies', () => {
  it.each([
    'example.com',
    'ftp://example.com',
    'https://example.com/path',
    'https://example.com?',
    'https://example.com#',
    'https://me:topsecret@example.com',
    '*',
  ])('reject the key %s', (key) => {
    expect(problem({ credentials: { [key]: 'u:p' } })).toContain('origins like https://example.com');
    expect(problem({ cookies: { [key]: 'a=b' } })).toContain('origins like https://example.com');
    expect(problem({ credentials: { [key]: 'u:p' } })).not.toContain('topsecret');
  });

  it.each([
    'https://example.com',
    'https://example.com/',
    'http://example.com:8080',
    'http://[::1]:80',
    'HTTPS://É.example',
  ])('accept the key %s', (key) => {
    expect(problem({ credentials: { [key]: 'u:p' }, cookies: { [key]: 'a=b' } })).toBe('taken');
  });

  it('reject one origin twice, and values that cannot be sent', () => {
    const twice = { 'https://example.com': 'u:topsecret', 'https://EXAMPLE.com:443/': 'u:topsecret' };
    const bad = [
      problem({ credentials: twice }),
      problem({ credentials: { 'https://example.com': 'topsecret' } }),
      problem({ credentials: { 'https://example.com': 'u:topsecret\n' } }),
      problem({ credentials: 'u:topsecret' }),
      problem({ cookies: { 'https://example.com': '' } }),
      problem({ cookies: { 'https://example.com': 'a=topsecret\r\nX: 1' } }),
    ];
    expect(bad[0]).toContain('the origin https://example.com only once');
    expect(bad[1]).toContain('user:password for https://example.com');
    expect(bad[2]).toContain('user:password for https://example.com');
    expect(bad[3]).toContain('a JSON object of strings');
    expect(bad[4]).toContain('name=value');
    expect(bad[5]).toContain('name=value');
    expect(bad.join()).not.toContain('topsecret');
  });

  it('may come from the environment and flags as JSON', () => {
    const env = { WEBCRAWL_HTTP_CREDENTIALS: '{"https://example.com": "me:topsecret"}', WEBCRAWL_HTTP_COOKIES: '' };
    const { settings, sources } = loadSettings({ env, overrides: { 'http.headers': '{"From":"a@b"}' } });
    expect(settings.http.credentials).toEqual({ 'https://example.com': 'me:topsecret' });
    expect(settings.http.cookies).toEqual({});
    expect(settings.http.headers).toEqual({ From: 'a@b' });
    expect(sources['http.credentials']).toEqual({
      value: { 'https://example.com': '***' },
      source: 'environment WEBCRAWL_HTTP_CREDENTIALS',
    });
    expect(() => loadSettings({ env: { WEBCRAWL_HTTP_CREDENTIALS: '{"https://a.example": topsecret}' } })).toThrow(
      /a JSON object of strings, found something else, which is not shown/,
    );
  });
});

describe('http.proxy', () => {
  it.each([
    'proxy.example:3128',
    'https://proxy.example',
    'socks5://proxy.example',
    'http://proxy.example/path',
    'http://me:topsecret@proxy.example/?x',
    'http://me:top%zzsecret@proxy.example',
    'http://me:top%0Asecret@proxy.example',
  ])('is not %s', (proxy) => {
    const text = problem({ proxy });
    expect(text).toMatch(/expected (the URL of an http proxy|user and password)/);
    expect(text).not.toContain('secret');
  });

  it('is shown without user and password', () => {
    const proxy = 'http://me:top%40secret@proxy.example:3128';
    const { settings, sources } = load({ proxy });
    expect(settings.http.proxy).toBe(proxy);
    expect(sources['http.proxy']?.value).toBe('http://***@proxy.example:3128');
    for (const odd of [
      'http:me:topsecret@proxy.example',
      'http:\\\\me:topsecret@proxy.example',
      'HTTP://:topsecret@proxy.example',
    ]) {
      expect(load({ proxy: odd }).sources['http.proxy']?.value).toBe('http://***@proxy.example');
    }
    expect(load({ proxy: 'http://proxy.example' }).sources['http.proxy']?.value).toBe('http://proxy.example');
  });
});

it('a settings file that is not JSON is not quoted', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'webcrawl-'));
  try {
    const file = join(folder, 'settings.json');
    for (const text of ['{"http":{"proxy": topsecret}}', '{"a": "topsecret\n"}', 'topsecret']) {
      await writeFile(file, text);
      let thrown: unknown;
      try {
        loadSettings({ file });
      } catch (error) {
        thrown = error;
      }
      const { message, stack, cause } = thrown as Error;
      expect(message).toContain('is not JSON');
      expect([message, stack, String(cause)].join()).not.toMatch(/topsec/);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});
