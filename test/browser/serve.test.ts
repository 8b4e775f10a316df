import { existsSync } from 'node:fs';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { servePages, type Served, type CrawlStatus } from '../../packages/serve/index.js';
import { aRunningStatus, aStatus, fakeSource, found, HITS } from '../support/web/fake-source.js';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
);

/** The name of what has the focus, and how it is outlined. */
const FOCUSED = `[
  document.activeElement.labels?.[0]?.textContent ?? document.activeElement.textContent,
  getComputedStyle(document.activeElement).outlineStyle,
]`;

let browser: Browser;
let served: Served;
let context: BrowserContext;
let status: () => CrawlStatus;
/** What any page asked for, and what the browser complained of. */
let asked: string[];
let complaints: string[];

beforeAll(async () => {
  expect(CHROMIUM, 'expected Chromium, for instance by apt-get install chromium').toBeDefined();
  browser = await chromium.launch({ executablePath: CHROMIUM!, args: ['--no-sandbox'] });
  served = await servePages(
    fakeSource({
      status: () => Promise.resolve(status()),
      search: (query, request) =>
        query === 'tae' ? Promise.resolve(found([], { didYouMean: 'tea' })) : fakeSource().search(query, request),
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
});
afterEach(async () => {
  await context.close();
  const own = new URL(served.url).origin;
  expect(asked.filter((url) => new URL(url).origin !== own)).toEqual([]);
  expect(complaints).toEqual([]);
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
  it.each([true, false])('is used by keyboard alone, with scripts %s', async (javaScriptEnabled) => {
    const page = await open('/', { javaScriptEnabled });
    const focused = page.locator(':focus');
    await expect.poll(() => focused.getAttribute('name')).toBe('q');
    await page.keyboard.type('green tea');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/search?q=green+tea');
    await page.keyboard.press('Tab');
    expect(await focused.textContent()).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    expect(new URL(page.url()).hash).toBe('#main');
    for (const expected of ['Search the crawled pages', 'Search', HITS[0]!.title]) {
      await page.keyboard.press('Tab');
      const [name, outline] = await page.evaluate<[string, string]>(FOCUSED);
      expect([name.trim(), outline]).toEqual([expected, 'solid']);
    }
    await page.getByRole('link', { name: 'Next' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/search?q=green+tea&page=2');
    await page.locator('summary').focus();
    await page.keyboard.press('Enter');
    expect(await page.getByText('intitle:tea').isVisible()).toBe(true);
  });

  it('has landmarks, a label, headings and a list for who hears it', async () => {
    const page = await open('/search?q=green+tea&page=2');
    const tree = await page.locator('body').ariaSnapshot();
    for (const line of [
      'link "Skip to the content"',
      'banner:',
      'navigation "Site":',
      'main:',
      'search:',
      'searchbox "Search the crawled pages": green tea',
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

  it('offers another spelling, shows the text of a page, and says what is not there', async () => {
    const page = await open('/search?q=tae');
    await page.getByRole('link', { name: 'tea', exact: true }).click();
    await page
      .getByRole('link', { name: /^Text as crawled/ })
      .first()
      .click();
    await page.getByText('Steep it at eighty degrees.').waitFor();
    expect(await page.title()).toBe(`${HITS[0]!.title} – webcrawl`);
  });

  it.each([
    [320, 'light'],
    [390, 'dark'],
    [1280, 'light'],
    [1280, 'dark'],
  ] as const)('fits %s pixels in %s, and its text has contrast', async (width, colorScheme) => {
    const page = await open('/search?q=green+tea', { viewport: { width, height: 800 }, colorScheme });
    status = () => aRunningStatus();
    for (const path of ['/search?q=green+tea', '/', '/dashboard', `/cached?url=${encodeURIComponent(HITS[0]!.url)}`]) {
      await page.goto(new URL(path, served.url).href);
      const wide = await page.evaluate<number>(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      expect(wide, path).toBe(0);
      expect(await page.evaluate<string[]>(LOW_CONTRAST), path).toEqual([]);
    }
  });
});

describe('the dashboard', { timeout: 120_000 }, () => {
  it('is live without being loaded anew, and says when the server is gone', async () => {
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
    status = () => aStatus();
    await page.getByText('Nothing is running', { exact: true }).waitFor({ timeout: 60_000 });
    expect(asked.filter((url) => url.endsWith('/dashboard'))).toHaveLength(1);
    const tree = await page.locator('main').ariaSnapshot();
    for (const line of [
      'heading "Dashboard" [level=1]',
      'heading "Errors by reason" [level=2]',
      'img "Pages per second: now',
    ]) {
      expect(tree).toContain(line);
    }
  });

  it('is loaded anew by itself where scripts are off', async () => {
    status = () => aRunningStatus();
    const page = await open('/dashboard', { javaScriptEnabled: false });
    expect(await page.locator('dd[data-text="failed"]').textContent()).toBe('412');
    await page.waitForRequest('**/dashboard', { timeout: 60_000 });
  });
});

/** Run by the browser: texts that have less contrast with their ground than WCAG 2.2 asks for (1.4.3). */
const LOW_CONTRAST = `(() => {
  const channels = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number);
  const part = (each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * part(r / 255) + 0.7152 * part(g / 255) + 0.0722 * part(b / 255);
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = channels(getComputedStyle(at).backgroundColor);
      if ((colour[3] ?? 1) > 0) return colour;
    }
    return [255, 255, 255];
  };
  const low = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.textContent.trim() || ['SCRIPT', 'STYLE'].includes(element.tagName) || !element.checkVisibility()) continue;
    const [a, b] = [light(channels(getComputedStyle(element).color)), light(ground(element))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) low.push(node.textContent.trim());
  }
  return low;
})()`;
