import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../../bin/run.js';
import { ERROR_CODES } from '../../packages/errors/index.js';
import { serveWeb, type ServedWeb } from '../support/web/serve-web.js';
import { suiteFolder } from '../support/files/temp-folder.js';
import { testIo } from './test-io.js';

const folder = suiteFolder();
let web: ServedWeb;
let file: (name: string) => string;
beforeAll(async () => {
  file = (name) => join(folder, name);
  await writeFile(file('robots.txt'), 'User-agent: *\nDisallow: /p\nCrawl-delay: 3\nSitemap: http://h/s\u001b.xml\n');
  await writeFile(file('page'), '<html lang=en><title>T\u001b</title><a href=/a>A\nB</a><a href=/b.jpg>B</a>');
  web = await serveWeb({
    '/moved': { location: '/r.txt' },
    '/r.txt': { html: 'User-agent: bot\nDisallow: /', contentType: 'text/plain' },
    '/page': { html: '<title>Served</title>', headers: { 'x-robots-tag': 'noindex' } },
    '/down': { status: 503 },
  });
});
afterAll(async () => {
  await web.close();
});

async function check(args: readonly string[], stdin: readonly (string | Uint8Array)[] = [], stop = false) {
  const io = testIo({ stdin });
  if (stop) io.stop.abort();
  const code = await run(['--table', `level:${file('table')}`, 'check', ...args], io);
  // No check opens a table.
  await expect(access(file('table'))).rejects.toThrow();
  return { code, out: io.stdout.text, err: io.stderr.text };
}

const jsonLines = (out: string): unknown[] =>
  out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);

describe('check url', () => {
  test('a line for each URL, and 1 if one is rejected', async () => {
    expect(await check(['url', 'http://H/a/../b', 'http://h/'])).toEqual({
      code: 0,
      out: 'accepted  http://H/a/../b -> http://h/b\naccepted  http://h/\n',
      err: '',
    });
    const { code, out } = await check(['url', 'http://h/', 'bad\u001b\nurl']);
    expect(code).toBe(1);
    expect(out).toContain('rejected  bad\\u001b url  by url: ');
    expect(out.split('\n')).toHaveLength(3);
  });

  test('shows the readable form of a URL beside it if it differs', async () => {
    const { out } = await check(['url', 'http://例え.jp/例', 'http://xn--r8jz45g.jp/']);
    expect(out).toBe(
      'accepted  http://例え.jp/例 -> http://xn--r8jz45g.jp/%E4%BE%8B\n' +
        'accepted  http://xn--r8jz45g.jp/ (http://例え.jp/)\n',
    );
  });

  test('standard input: the lines of a seed file, in chunks of any size', async () => {
    const stdin = ['# seeds\n\nhttp://h/1\tsco', 're=2\r\nhtt', 'p://h/2.jpg\n'];
    const { code, out } = await check(['url', 'http://h/0', '-', '--json'], stdin);
    expect(code).toBe(1);
    expect(jsonLines(out)).toMatchObject([
      { url: 'http://h/0', accepted: true, key: 'h:http/0' },
      { url: 'http://h/1', normalized: 'http://h/1', accepted: true, host: 'h', domain: 'h' },
      { url: 'http://h/2.jpg', accepted: false, rejectedBy: 'urlfilter-regex' },
    ]);
  });

  test('stops at a signal, and obeys settings', async () => {
    expect(await check(['url', 'http://h/'], [], true)).toEqual({ code: 130, out: '', err: '' });
    const { out } = await check(['url', 'http://h/a/b', '--set', 'urlfilter.trapMaxDepth=1']);
    expect(out).toContain('by urlfilter-traps: depth');
    expect((await check(['url', 'http://h/', '--set', 'no.such=1'])).code).toBe(ERROR_CODES.BAD_SETTING.exitCode);
  });
});

describe('check robots', () => {
  test('a file', async () => {
    const { code, out } = await check(['robots', file('robots.txt'), '/p/x', 'http://h/q']);
    expect(code).toBe(1);
    expect(out).toBe(
      'denied   /p/x  line 2: Disallow: /p, Crawl-delay 3 s\n' +
        'allowed  http://h/q  no line matches, Crawl-delay 3 s\n' +
        'sitemap  http://h/s\\u001b.xml\n',
    );
    const json = await check(['robots', file('robots.txt'), '-', '--json'], ['/q\n']);
    expect(json.code).toBe(0);
    expect(jsonLines(json.out)).toEqual([
      { url: '/q', allowed: true, crawlDelay: 3 },
      { sitemaps: ['http://h/s\u001b.xml'] },
    ]);
  });

  test('a URL over redirects, for one agent', async () => {
    expect((await check(['robots', `${web.origin}/moved`, '--agent', 'bot/1', '/'])).code).toBe(1);
    expect((await check(['robots', `${web.origin}/moved`, '--agent', 'other', '/'])).code).toBe(0);
    const absent = await check(['robots', `${web.origin}/robots.txt`, '/']);
    expect(absent.code).toBe(0);
    expect(absent.err).toContain('HTTP 404: there is no robots.txt');
  });

  test('a robots.txt that is not available is an error', async () => {
    for (const source of [file('none'), folder, `${web.origin}/down`]) {
      const { code, err } = await check(['robots', source, '/']);
      expect([code, err.startsWith('error [BAD_INPUT]: ')]).toEqual([ERROR_CODES.BAD_INPUT.exitCode, true]);
    }
    expect((await check(['robots', '-', '/'])).code).toBe(ERROR_CODES.USAGE.exitCode);
    expect((await check(['robots', file('robots.txt')])).code).toBe(ERROR_CODES.USAGE.exitCode);
  });
});

describe('check parse', () => {
  test('a file, as text and as JSON', async () => {
    const { code, out, err } = await check(['parse', file('page'), '--base', 'http://h/']);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('title     T\\u001b\n');
    expect(out).toContain('charset   utf-8 (no encoding is named, but the page is valid UTF-8)\n');
    expect(out).toContain('links     1 kept of 2\n');
    expect(out).toContain('kept  http://h/a  A B\n');
    expect(out).toContain('not kept  http://h/b.jpg  by urlfilter-regex: line ');
    const json = await check(['parse', file('page'), '--base', 'http://h/', '--json']);
    expect(JSON.parse(json.out)).toMatchObject({ kind: 'success', language: 'en', outlinks: [{ accepted: true }, {}] });
  });

  test('standard input with a stated type, cut at the limit', async () => {
    const args = ['parse', '-', '--base', 'http://h', '--json', '--content-type', 'Text/HTML; charset=shift_jis'];
    const bytes = [new Uint8Array([0x83]), new Uint8Array([0x41, 0x42])];
    expect(JSON.parse((await check(args, bytes)).out)).toMatchObject({
      contentType: 'text/html',
      charset: 'shift_jis',
      charsetSource: 'header',
      text: 'アB',
      url: 'http://h/',
    });
    const cut = JSON.parse((await check([...args, '--set', 'http.contentLimit=2'], bytes)).out) as unknown;
    expect(cut).toMatchObject({ text: 'ア', truncated: true });
  });

  test('a URL, with its headers', async () => {
    const { out } = await check(['parse', `${web.origin}/page`, '--json']);
    expect(JSON.parse(out)).toMatchObject({ url: `${web.origin}/page`, title: 'Served', robots: { noindex: true } });
    expect((await check(['parse', `${web.origin}/none`])).code).toBe(ERROR_CODES.BAD_INPUT.exitCode);
  });

  test('1 if it cannot be parsed, and wrong usage', async () => {
    const image = await check(['parse', file('page'), '--base', 'http://h/', '--content-type', 'image/gif']);
    expect([image.code, image.out]).toEqual([
      1,
      'url     http://h/\ntype    image/gif\nfailed  unsupported_type: image/gif\n',
    ]);
    expect((await check(['parse', file('page')])).err).toContain('needs --base');
    expect((await check(['parse', file('page'), '--base', 'h'])).code).toBe(ERROR_CODES.USAGE.exitCode);
  });

  test('each has help with examples', async () => {
    for (const verb of ['url', 'robots', 'parse']) {
      const { code, out } = await check([verb, '--help']);
      expect(code).toBe(0);
      expect(out).toContain('Examples:');
      expect(out).toContain('Global options:');
    }
  });
});
