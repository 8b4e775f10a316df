import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CrawlError } from '../../packages/errors/index.js';
import { servePages, type RunningServer } from '../../packages/serve/index.js';
import { hiddenWidth, launchChromium, wrongIn } from '../support/web/chromium.js';
import { aHit, fakeSource, found, HITS } from '../support/web/fake-source.js';

const EVIL = '<img src=x onerror=alert(1)>';

let browser: Browser;
let context: BrowserContext;
/** The server of the page that has the box: another origin than the search. */
let host: Server;
let served: RunningServer;
/** Queries that the search was asked for, and errors that the browser reported. */
let asked: string[];
let complaints: string[];

/** The page of SEARCH.md, below a policy that allows no inline script or style. */
function hostPage(): string {
  return `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark"><title>Tea house</title><script src="${served.url}box.js" defer></script>
    <script src="${served.url}box.js" defer></script>
    <main><h1>Tea house</h1><label>Name <input id="name"></label>
    <webcrawl-search><form action="${served.url}search"><input name="q" aria-label="Search"></form></webcrawl-search>
    <p>All about tea.</p></main></html>`;
}

beforeAll(async () => {
  browser = await launchChromium();
  host = createServer((request, response) => {
    if (request.url === '/framed') {
      const frame = (title: string, path: string): string =>
        `<iframe title="${title}" src="${served.url}${path}"></iframe>`;
      response.setHeader('content-type', 'text/html');
      response.end(frame('search', 'search?q=tea') + frame('dashboard', 'dashboard'));
      return;
    }
    const server = served.url.slice(0, -1);
    const policy = `default-src 'none'; script-src ${server}; connect-src ${server}; form-action ${server}; require-trusted-types-for 'script'`;
    response.setHeader('content-security-policy', policy);
    response.setHeader('content-type', 'text/html');
    response.end(request.url === '/' ? hostPage() : 'arrived');
  });
  host.listen(0, '127.0.0.1');
  await once(host, 'listening');
  const page = (): string => `http://127.0.0.1:${(host.address() as AddressInfo).port}/hit`;
  served = await servePages(
    fakeSource({
      search(query) {
        asked.push(query);
        if (query === 'broken') return Promise.reject(new CrawlError('NO_INDEX', 'none'));
        if (query === 'gre' || query === 'nothing') return Promise.resolve(found([]));
        if (query === 'evil') {
          const snippet = [{ text: EVIL, hit: true }];
          return Promise.resolve(
            found([aHit({ title: EVIL, snippet }), aHit({ url: 'javascript:alert(1)', title: 'run' })]),
          );
        }
        return Promise.resolve(found([aHit({ url: page() }), ...HITS], { total: 1042 }));
      },
      suggest: (query) => Promise.resolve(query === 'gre' ? ['green'] : []),
    }),
    { port: 0, allowedOrigins: [new URL(page()).origin] },
  );
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await served?.close();
  host?.close();
});
afterEach(async () => {
  await context.close();
  expect(complaints.filter((text) => !text.includes('503'))).toEqual([]);
});

async function open(options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
  asked = [];
  complaints = [];
  context = await browser.newContext(options);
  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('dialog', (dialog) => {
    complaints.push(dialog.message());
    void dialog.dismiss();
  });
  await page.goto(`http://127.0.0.1:${(host.address() as AddressInfo).port}/`);
  return page;
}

describe('the search box on a page of another origin', { timeout: 120_000 }, () => {
  it('shows results as the user types, and is used by keyboard alone', async () => {
    const page = await open();
    // The timers of the page stand still while keys are pressed, however long a busy machine takes for each.
    await page.clock.install({ time: 0 });
    await page.clock.pauseAt(1000);
    await page.keyboard.press('/');
    const box = page.getByRole('combobox', { name: 'Search' });
    await page.keyboard.type('tea');
    await page.clock.resume();
    const options = page.getByRole('option');
    await expect.poll(() => options.count()).toBe(HITS.length + 1);
    expect(asked).toEqual(['tea']);
    expect(await box.getAttribute('aria-expanded')).toBe('true');
    expect(await page.locator('mark').first().textContent()).toBe('green tea');
    expect(await page.getByRole('status').textContent()).toBe('1,042 pages');
    const active = (): Promise<string | null> => box.getAttribute('aria-activedescendant');
    await page.keyboard.press('ArrowUp');
    expect(await active()).toBe(await options.last().getAttribute('id'));
    await page.keyboard.press('ArrowDown');
    expect(await active()).toBeNull();
    await page.keyboard.press('ArrowDown');
    expect(await options.first().getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('Escape');
    expect(await options.first().isVisible()).toBe(false);
    expect(await box.inputValue()).toBe('tea');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/hit');
  });

  it('leads to the search page with all results', async () => {
    const page = await open();
    await page.evaluate("document.body.dispatchEvent(new Event('keydown', { bubbles: true }))");
    await page.locator('#name').focus();
    await page.keyboard.type('a/b');
    expect(await page.locator('#name').inputValue()).toBe('a/b');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('tea');
    const all = page.getByRole('link', { name: '1,042 pages' });
    await all.waitFor();
    await page.keyboard.press('Tab');
    expect(await all.getAttribute('href')).toBe(`${served.url}search?q=tea`);
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${served.url}search?q=tea`);
  });

  it('completes a word, and states why there are no results', async () => {
    const page = await open();
    const box = page.getByRole('combobox');
    const status = page.getByRole('status');
    await box.fill('gre');
    await expect.poll(() => status.textContent()).toBe('1,042 pages');
    expect(asked).toEqual(['gre', 'green']);
    await box.fill('nothing');
    await page.getByText('Nothing found for nothing').waitFor();
    await box.fill('broken');
    await page.getByText('The search is not ready yet. Come back later.').waitFor();
    await page.route('**/api/search**', (route) =>
      route.fulfill({ body: '<html>', headers: { 'access-control-allow-origin': '*' } }),
    );
    await box.fill('proxy');
    await page.getByText('Something went wrong. Come back later.').waitFor();
    await box.fill('');
    await expect.poll(() => status.textContent()).toBe('');
  });

  it('shows titles and snippets as text, and links only to the web', async () => {
    const page = await open();
    await page.getByRole('combobox').fill('evil');
    const options = page.getByRole('option');
    await expect.poll(() => options.count()).toBe(2);
    expect(await page.locator('strong').first().textContent()).toBe(EVIL);
    expect(await page.locator('mark').first().textContent()).toBe(EVIL);
    expect(await page.locator('img').count()).toBe(0);
    expect(await options.last().getAttribute('href')).toBeNull();
  });

  it('is a form that leads to the search page if scripts are off', async () => {
    const page = await open({ javaScriptEnabled: false });
    await page.getByLabel('Search').fill('tea');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${served.url}search?q=tea`);
  });

  it.each([
    [360, 'light'],
    [360, 'dark'],
    [1280, 'light'],
    [1280, 'dark'],
  ] as const)('fits %s pixels in %s, and axe finds nothing wrong with it', async (width, colorScheme) => {
    const page = await open({ viewport: { width, height: 700 }, colorScheme, bypassCSP: true });
    await page.getByRole('combobox').fill('tea');
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('ArrowDown');
    expect(await hiddenWidth(page)).toBe(0);
    expect(await wrongIn(page)).toEqual([]);
    await page.getByRole('combobox').fill('nothing');
    await page.getByText('Nothing found').waitFor();
    expect(await wrongIn(page)).toEqual([]);
  });
});

describe('the search page in a frame', { timeout: 120_000 }, () => {
  it('is shown on a page of an allowed origin, and the dashboard is not', async () => {
    const page = await open();
    await page.goto(new URL('/framed', page.url()).href);
    await page
      .frameLocator('[title=search]')
      .getByRole('heading', { name: /pages for tea/ })
      .waitFor();
    // Only one of the two frames is refused.
    await expect.poll(() => complaints.splice(0)).toEqual([expect.stringContaining("frame-ancestors 'none'")]);
  });
});
