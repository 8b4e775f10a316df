import { connect, type Socket } from 'node:net';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CrawlError } from '../../packages/errors/index.js';
import { servePages, type RunningServer, type CrawlStatus } from '../../packages/serve/index.js';
import { focused, hiddenWidth, launchChromium, wrongIn } from '../support/web/chromium.js';
import { aHit, aRunningStatus, aStatus, fakeSource, found, HITS } from '../support/web/fake-source.js';

/** A title as a hostile site may have it. */
const EVIL = '<script>alert(1)</script><img src=x onerror=alert(2)>\u202e"\'';

let browser: Browser;
let served: RunningServer;
let context: BrowserContext;
let status: () => CrawlStatus;
/** The requests of all pages, and the errors that the browser reported. */
let asked: string[];
let complaints: string[];
/** Errors that a test provokes. */
let isExpected: (text: string) => boolean;

beforeAll(async () => {
  browser = await launchChromium();
  served = await servePages(
    fakeSource({
      status: () => Promise.resolve(status()),
      search: (query, request) =>
        query === 'tae'
          ? Promise.resolve(found([], { didYouMean: 'tea' }))
          : query === 'evil'
            ? Promise.resolve(
                found([aHit({ title: EVIL, snippet: [{ text: EVIL, hit: true }] })], { didYouMean: EVIL }),
              )
            : query === 'none'
              ? Promise.reject(new CrawlError('NO_INDEX', 'none', { hint: 'webcrawl index --all makes it anew' }))
              : fakeSource().search(query, request),
    }),
    { port: 0 },
  );
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await served?.close();
});
beforeEach(() => {
  status = () => aStatus();
  asked = [];
  complaints = [];
  isExpected = () => false;
});
afterEach(async () => {
  await context.close();
  const own = new URL(served.url).origin;
  expect(asked.filter((url) => new URL(url).origin !== own)).toEqual([]);
  expect(complaints.filter((text) => !isExpected(text))).toEqual([]);
});

async function open(path: string, options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
  context = await browser.newContext(options);
  const page = await context.newPage();
  page.on('request', (request) => asked.push(request.url()));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(new URL(path, served.url).href);
  return page;
}

describe('the search page', { timeout: 120_000 }, () => {
  it.each([true, false])('can be used by keyboard alone, with scripts %s', async (javaScriptEnabled) => {
    const page = await open('/', { javaScriptEnabled });
    const inFocus = page.locator(':focus');
    await expect.poll(() => inFocus.getAttribute('name')).toBe('q');
    await page.keyboard.type('green tea');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/search?q=green+tea');
    await page.keyboard.press('Tab');
    expect(await inFocus.textContent()).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/search?q=green+tea#main');
    for (const expected of ['Search the crawled pages', 'Search', 'Filter', HITS[0]!.title]) {
      await page.keyboard.press('Tab');
      expect(await focused(page)).toEqual({ name: expected, outline: 'solid' });
    }
    await page.getByRole('link', { name: 'Next' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/search?q=green+tea&page=2');
    await page.locator('summary').last().focus();
    await page.keyboard.press('Enter');
    expect(await page.getByText('intitle:tea').isVisible()).toBe(true);
  });

  it('suggests while the user types, and narrows by a form', async () => {
    const page = await open('/');
    await page.getByRole('combobox').pressSequentially('green');
    const offered = page.locator('#suggestions option');
    await expect
      .poll(() => offered.evaluateAll((all) => all.map((one) => (one as unknown as { value: string }).value)))
      .toEqual(['green tea', 'green tea house']);
    await page.keyboard.press('Enter');
    await page.getByText('Filter').click();
    await page.getByLabel('Language').selectOption('Japanese');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.waitForURL('**/search?q=green+lang%3Aja');
    expect(await page.getByLabel('Language').inputValue()).toBe('ja');
    expect(await wrongIn(page)).toEqual([]);
  });

  it('has landmarks, a label, headings and a list for screen readers', async () => {
    const page = await open('/search?q=green+tea&page=2');
    const tree = await page.locator('body').ariaSnapshot();
    for (const line of [
      'link "Skip to the content"',
      'banner:',
      'navigation "Site":',
      'main:',
      'search:',
      'combobox "Search the crawled pages": green tea',
      'button "Search"',
      'heading "42 pages for green tea, from 11 on" [level=1]',
      `heading "${HITS[0]!.title}" [level=2]`,
      'navigation "Pages of results":',
      'contentinfo:',
    ]) {
      expect(tree).toContain(line);
    }
    expect(await page.locator('ol.results > li').count()).toBe(HITS.length);
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
    expect(await page.getByText('绿茶的冲泡方法与水温').first().getAttribute('lang')).toBe('zh-CN');
  });

  it('suggests another spelling, shows the text of a page, and reports a missing page', async () => {
    const page = await open('/search?q=tae');
    await page.getByRole('link', { name: 'tea', exact: true }).click();
    await page
      .getByRole('link', { name: /^Text as crawled/ })
      .first()
      .click();
    await page.getByText('Steep it at eighty degrees.').waitFor();
    expect(await page.title()).toBe(`${HITS[0]!.title} – webcrawl`);
  });

  it('reports an error and keeps the query, and axe finds nothing wrong with that', async () => {
    isExpected = (text) => text.includes('503');
    const page = await open('/search?q=none');
    await page.getByRole('heading', { name: 'Not ready', level: 1 }).waitFor();
    expect(await page.getByRole('combobox').inputValue()).toBe('none');
    expect(await wrongIn(page)).toEqual([]);
  });

  it('shows scripts in titles as text', async () => {
    const page = await open('/search?q=evil');
    const dialogs: string[] = [];
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    const shown = EVIL.replace('\u202e', '');
    expect(await page.locator('h2').textContent()).toBe(shown);
    expect(await page.locator('mark').textContent()).toBe(shown);
    await page.getByRole('link', { name: shown, exact: true }).first().focus();
    expect(await page.locator('img, main script').count()).toBe(0);
    expect(dialogs).toEqual([]);
  });

  it.each([
    [320, 'light'],
    [390, 'dark'],
    [1280, 'light'],
    [1280, 'dark'],
  ] as const)('fits %s pixels in %s, and axe finds nothing wrong with it', async (width, colorScheme) => {
    const page = await open('/search?q=green+tea', { viewport: { width, height: 800 }, colorScheme });
    status = () => aRunningStatus();
    const copy = `/cached?url=${encodeURIComponent(HITS[0]!.url)}`;
    for (const path of ['/search?q=green+tea&page=2', '/search?q=tae', '/', '/dashboard', copy]) {
      await page.goto(new URL(path, served.url).href);
      expect(await hiddenWidth(page), path).toBe(0);
      expect(await wrongIn(page), path).toEqual([]);
    }
  });
});

describe('the dashboard', { timeout: 120_000 }, () => {
  it('is updated without a reload, and reports that the server is gone', async () => {
    let step = 0;
    status = () => aRunningStatus((step += 1));
    const page = await open('/dashboard');
    const done = page.locator('dd[data-text="done"]');
    const first = await done.textContent();
    await expect.poll(() => done.textContent(), { timeout: 60_000 }).not.toBe(first);
    await expect
      .poll(() => page.locator('[data-path="rate-line"]').getAttribute('d'), { timeout: 60_000 })
      .toMatch(/^M0.0 /);
    expect(await page.getByRole('status').textContent()).toBe('Running: crawl in process 4711');
    const hosts = page.getByRole('heading', { name: 'Hosts set aside' });
    expect(await hosts.isVisible()).toBe(true);
    status = () => aStatus();
    await page.getByText('Nothing is running', { exact: true }).waitFor({ timeout: 60_000 });
    expect(await hosts.isVisible()).toBe(false);
    expect(await page.getByText('–', { exact: true }).filter({ visible: true }).count()).toBe(0);
    expect(asked.filter((url) => url.endsWith('/dashboard'))).toHaveLength(1);
    const tree = await page.locator('main').ariaSnapshot();
    for (const line of ['heading "Dashboard" [level=1]', 'img "Pages per second: now']) {
      expect(tree).toContain(line);
    }
  });

  it('reloads by itself if scripts are off', async () => {
    status = () => aRunningStatus();
    const page = await open('/dashboard', { javaScriptEnabled: false });
    expect(await page.locator('dd[data-text="failed"]').textContent()).toBe('412');
    await page.waitForRequest('**/dashboard', { timeout: 60_000 });
  });

  it('continues without live figures if there are too many viewers', async () => {
    status = () => aRunningStatus();
    const { port } = new URL(served.url);
    isExpected = (text) => text.includes('503');
    const viewers: Socket[] = [];
    try {
      for (let i = 0; i < 100; i += 1) {
        const socket = connect(Number(port), '127.0.0.1');
        viewers.push(socket);
        socket.on('error', () => undefined);
        socket.write('GET /dashboard/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
        await new Promise((resolve) => socket.once('data', resolve));
        socket.resume();
      }
      const page = await open('/dashboard');
      await page.getByText('No live figures:').waitFor({ timeout: 60_000 });
      expect(await page.locator('dd[data-text="failed"]').textContent()).toBe('412');
      await page.waitForRequest('**/dashboard', { timeout: 60_000 });
    } finally {
      for (const socket of viewers) socket.destroy();
    }
  });
});
