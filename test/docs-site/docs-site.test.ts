import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import { DOCUMENTS } from '../../scripts/site/navigation.mjs';
import { pageOf } from '../../scripts/site/links.mjs';
import { ROOT } from '../support/docs/source-files.js';
import { hiddenWidth, launchChromium } from '../support/web/chromium.js';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
};

/** An earlier version of the site. */
const OLDER = '0.0.1';

let folder: string;
let version: string;
let server: Server;
let browser: Browser;
let url: string;

/** Serves the files of the folder below `/manual/`, like any server of static files. */
async function send(
  path: string,
): Promise<{ readonly status: number; readonly type: string; readonly body: string | Buffer }> {
  const name = decodeURI(path.replace(/^\/manual\//, '').replace(/[?#].*/, ''));
  const file = join(folder, name === '' || name.endsWith('/') ? `${name}index.html` : name);
  const isThere = (await stat(file).catch(() => undefined))?.isFile() ?? false;
  if (!path.startsWith('/manual/') || !isThere) return { status: 404, type: 'text/plain', body: 'Not found' };
  return { status: 200, type: TYPES[extname(file)] ?? 'application/octet-stream', body: await readFile(file) };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webcrawl-docs-site-'));
  ({ version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string });
  await mkdir(join(folder, OLDER));
  await writeFile(join(folder, OLDER, 'index.html'), '<title>Older</title>');
  const args = ['run', 'docs:site', '--', '--out', folder, '--base', '/manual'];
  await promisify(execFile)('npm', args, { cwd: ROOT });
  server = createServer((request, response) => {
    void send(request.url ?? '').then(({ status, type, body }) =>
      response.writeHead(status, { 'content-type': `${type}; charset=utf-8` }).end(body),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/manual/`;
  browser = await launchChromium();
});

afterAll(async () => {
  await browser.close();
  server.close();
  server.closeAllConnections();
  await rm(folder, { recursive: true });
});

const addressOf = (document: string): string => `${url}${version}/${pageOf(document).replace(/\.md$/, '.html')}`;

/** Opens a page; collects the errors of its scripts, and missing files. */
async function open(
  address: string,
  width: number,
  colorScheme: 'light' | 'dark' = 'light',
): Promise<{ page: Page; faults: string[] }> {
  const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('response', (response) => {
    if (response.status() >= 400) faults.push(`${response.status()} ${response.url()}`);
  });
  await page.goto(address, { waitUntil: 'networkidle' });
  return { page, faults };
}

test.each(DOCUMENTS)('%s fits the width of a phone, without errors', async (document) => {
  const { page, faults } = await open(addressOf(document), 390);
  expect(faults).toEqual([]);
  expect(await hiddenWidth(page)).toBe(0);
  const heading = /^# (.+)$/m.exec(await readFile(join(ROOT, document), 'utf8'))?.[1];
  expect((await page.textContent('h1'))?.replace(/\u200b/g, '').trim()).toBe(heading?.replaceAll('`', ''));
  await page.close();
});

test('the folder leads to the newest version, which is shown', async () => {
  const { page } = await open(url, 1280);
  await page.waitForURL(`${url}${version}/`);
  expect(await page.inputValue('select.versions')).toBe(version);
  await page.close();
});

test('an older version stays beside it, and can be chosen', async () => {
  const { page } = await open(addressOf('docs/START.md'), 1280);
  const options = page.locator('select.versions option');
  await page.waitForFunction(`document.querySelectorAll('select.versions option').length > 1`);
  expect(await options.allTextContents()).toEqual([version, OLDER]);
  await page.selectOption('select.versions', OLDER);
  await page.waitForURL(`${url}${OLDER}/`);
  expect(await page.title()).toBe('Older');
  await page.close();
});

test('a search finds a section, without a server', async () => {
  const { page, faults } = await open(addressOf('README.md'), 1280);
  await page.keyboard.press('Control+k');
  await page.waitForSelector('#localsearch-input');
  await page.keyboard.type('power failure');
  await page.waitForSelector('.results .result[href*="OPERATIONS.html#kill-and-power-failure"]');
  expect(faults).toEqual([]);
  await page.close();
});

test('dark mode is available', async () => {
  const background = async (scheme: 'light' | 'dark'): Promise<string> => {
    const { page } = await open(addressOf('docs/START.md'), 1280, scheme);
    const color = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    await page.close();
    return color;
  };
  expect(await background('light')).toBe('rgb(255, 255, 255)');
  expect(await background('dark')).not.toBe('rgb(255, 255, 255)');
});
