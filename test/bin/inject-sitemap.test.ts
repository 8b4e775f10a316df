import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../bin/run.js';
import { testIo } from './test-io.js';

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'webcrawl-sitemap-'))));
afterAll(() => rm(folder, { recursive: true }));

async function webcrawl(...args: string[]) {
  const io = testIo();
  const code = await run([...args, '--table', `level:${join(folder, 'table')}`], io);
  return { code, out: io.stdout.text, err: io.stderr.text };
}

describe('inject --sitemap', () => {
  it('takes URLs and files, together with other seeds', async () => {
    const file = join(folder, 'index.xml');
    await writeFile(file, '<sitemapindex><sitemap><loc>http://a.com/1.xml.gz</loc></sitemap></sitemapindex>');
    const list = join(folder, 'list.txt');
    await writeFile(list, 'http://a.com/1\nhttp://a.com/x.zip\n');
    const url = 'http://a.com/sitemap.xml.gz';
    const args = ['--sitemap', url, '--sitemap', file, '--sitemap', list, '--sitemap', 'http://a.com/no.zip'];
    const { code, out, err } = await webcrawl('inject', 'http://b.com/', 'http://b.com/no.zip', ...args, '--json');
    expect(err).toContain(`seed rejected, ${list}: http://a.com/x.zip`);
    expect(err).toContain('seed rejected: http://a.com/no.zip');
    expect(err).toContain('seed rejected: http://b.com/no.zip');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ counters: { injected: 4, 'rejected_urlfilter-regex': 3 } });
    const dump = await webcrawl('readdb', '--dump', '--fields', 'sitemap,distance');
    const rows = dump.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { url: string; sitemap?: boolean });
    expect(rows.map(({ url, sitemap = false }) => [url, sitemap])).toEqual([
      ['http://a.com/1', false],
      ['http://a.com/1.xml.gz', true],
      ['http://a.com/sitemap.xml.gz', true],
      ['http://b.com/', false],
    ]);
  });

  it('refuses a file that is no sitemap', async () => {
    const file = join(folder, 'page.html');
    await writeFile(file, '<!doctype html><a href=http://a.com/>x</a>');
    const { code, err } = await webcrawl('inject', '--sitemap', file);
    expect([code, err]).toEqual([66, expect.stringContaining(`${file}: expected a sitemap, a feed or a list of URLs`)]);
    expect((await webcrawl('inject', '--sitemap', join(folder, 'none.xml'))).code).toBe(66);
    expect(await webcrawl('inject')).toMatchObject({ code: 64, err: expect.stringContaining('--sitemap') as string });
  });
});

describe('check parse --sitemap', () => {
  it('reads it as the crawl does', async () => {
    const file = join(folder, 'packed');
    await writeFile(file, '<sitemapindex><sitemap><loc>http://a.com/1.xml.gz</loc></sitemap></sitemapindex>');
    const args = ['check', 'parse', file, '--base', 'http://a.com/s', '--content-type', 'image/png'];
    expect((await webcrawl(...args)).code).toBe(1);
    const { code, out } = await webcrawl(...args, '--sitemap');
    expect(code).toBe(0);
    expect(out).toContain('kept  http://a.com/1.xml.gz  (sitemap)');
  });
});
