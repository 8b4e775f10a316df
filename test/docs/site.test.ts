import { existsSync, mkdtempSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { brokenLinks } from '../../scripts/site/check.mjs';
import { filesIn, siteLink } from '../../scripts/site/links.mjs';
import { DOCUMENTS, SECTIONS } from '../../scripts/site/navigation.mjs';
import { listVersions, newestFirst } from '../../scripts/site/versions.mjs';
import { ROOT } from '../support/docs/source-files.js';

describe('navigation', () => {
  test('has every document exactly once', () => {
    const folders = ['', 'docs/', 'bench/', 'bench/results/'];
    const documents = folders.flatMap((folder) =>
      readdirSync(join(ROOT, folder))
        .filter((name) => name.endsWith('.md'))
        .map((name) => folder + name),
    );
    expect([...DOCUMENTS].sort()).toEqual(documents.sort());
  });

  test('has the four kinds', () => {
    expect(SECTIONS.map(({ text }) => text)).toEqual(['Start', 'How to', 'Reference', 'Explanation']);
  });

  test('has documents whose links lead to documents or to copied files', () => {
    const missing = DOCUMENTS.flatMap((document) => {
      const { pictures, files } = filesIn(document, readFileSync(join(ROOT, document), 'utf8'));
      return [...pictures, ...files].filter((file) => !existsSync(join(ROOT, file)));
    });
    expect(missing).toEqual([]);
  });
});

test.each([
  ['docs/GUIDE.md', 'EXPORT.md#a-line', 'EXPORT.md#a-line', false],
  ['docs/GUIDE.md', '../README.md#why', '../index.md#why', false],
  ['README.md', 'docs/GUIDE.md', 'docs/GUIDE.md', false],
  ['README.md', 'LICENSE', 'LICENSE.txt', true],
  ['docs/DEFAULTS.md', '../config/regex-urlfilter.txt', '../config/regex-urlfilter.txt', true],
  ['docs/DEFAULTS.md', '../packages/url/index.ts#L3', '../packages/url/index.ts.txt', true],
  ['docs/GUIDE.md', '#crawl', '#crawl', false],
  ['docs/GUIDE.md', 'https://example.com/a.md', 'https://example.com/a.md', false],
])('in %s, a link to %s is %s on the site', (document, link, href, isCopy) => {
  expect(siteLink(document, link)).toEqual({ href, isCopy });
});

describe('a built site', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'webcrawl-docs-site-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function write(file: string, text = ''): void {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }

  test('has no broken link if every file and anchor exists', () => {
    write(
      'index.html',
      '<a href="/1.0.0/docs/a.html#b%20c"></a><a href="docs/a.html"></a><img src="./b.png"><i id="d"></i>',
    );
    write(
      'docs/a.html',
      '<h2 id="b c"></h2><a href="../index.html#d"></a><a href="/1.0.0/"></a><a href="https://x.org/y"></a>',
    );
    write('b.png');
    expect(brokenLinks(folder, '/1.0.0/')).toEqual([]);
  });

  test.each(['gone.html', '#gone', 'a.html#gone', '/a.html', '../a.html', '/1.0.0/gone/', 'folder'])(
    'has a broken link if it links to %s',
    (link) => {
      write('a.html', `<h2 id="there"></h2><a href="${link}"></a>`);
      write('folder/b.png');
      expect(brokenLinks(folder, '/1.0.0/')).toEqual([`a.html: ${link}`]);
    },
  );

  test('lists its versions, newest first, and redirects to the newest', () => {
    for (const version of ['0.9.0', '0.10.0', '0.10.0-rc.1', 'other']) write(`${version}/index.html`);
    mkdirSync(join(folder, '1.0.0'));
    expect(listVersions(folder)).toEqual(['0.10.0', '0.10.0-rc.1', '0.9.0']);
    expect(JSON.parse(readFileSync(join(folder, 'versions.json'), 'utf8'))).toEqual(['0.10.0', '0.10.0-rc.1', '0.9.0']);
    expect(readFileSync(join(folder, 'index.html'), 'utf8')).toContain('url=0.10.0/');
  });

  test('sorts a release above its pre-releases', () => {
    expect(['1.0.0-rc.2', '1.0.0', '1.0.0-rc.10', '0.2.0'].sort(newestFirst)).toEqual([
      '1.0.0',
      '1.0.0-rc.10',
      '1.0.0-rc.2',
      '0.2.0',
    ]);
  });
});
