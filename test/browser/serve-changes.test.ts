import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, describe, it } from 'vitest';
import { loadDiffer, logPlaces, readChanges, type PageRecord } from '../../packages/changes/index.js';
import { servePages, type RunningServer } from '../../packages/serve/index.js';
import { writeChanges } from '../support/made-changes.js';
import { START, testCrawl, type TestCrawl } from '../support/test-crawl.js';
import { hiddenWidth, launchChromium, wrongIn } from '../support/web/chromium.js';
import { fakeSource } from '../support/web/fake-source.js';

/** A title as a hostile site may have it. */
const EVIL = '<script>alert(1)</script><img src=x onerror=alert(2)>\u202e"\'';

let browser: Browser;
let crawl: TestCrawl;
let served: RunningServer;
let context: BrowserContext;
/** Errors that the browser reported. */
let complaints: string[];

beforeAll(async () => {
  browser = await launchChromium();
  crawl = await testCrawl(undefined);
  const names = Array.from({ length: 60 }, (_, i) => `page-${i}`);
  await writeChanges(crawl, [...names, 'very-long-path-segment/'.repeat(8)], { at: START });
  await writeChanges(crawl, ['%E8%8C%B6'], { at: START + 1, kinds: ['title', 'links', 'redirect'], title: EVIL });
  const changes = {
    read: (options: Parameters<typeof readChanges>[1]) => readChanges(crawl, options),
    diff: async (record: PageRecord) => (await loadDiffer(crawl))(record),
    places: (cursor?: string) => logPlaces(crawl, cursor),
    tableId: () => crawl.tables.id(),
  };
  served = await servePages(fakeSource({ changes }), { port: 0 });
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await served?.close();
  await crawl?.close();
});
afterEach(async () => {
  await context.close();
  expect(complaints).toEqual([]);
});

async function open(path: string, options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
  complaints = [];
  context = await browser.newContext(options);
  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(new URL(path, served.url).href);
  return page;
}

describe('the page of changes', { timeout: 120_000 }, () => {
  it.each([
    [390, 'light'],
    [390, 'dark'],
    [1280, 'light'],
    [1280, 'dark'],
  ] as const)('fits %s pixels in %s, and axe finds nothing wrong with it', async (width, colorScheme) => {
    const page = await open('/changes', { viewport: { width, height: 800 }, colorScheme });
    expect(await hiddenWidth(page)).toBe(0);
    expect(await wrongIn(page)).toEqual([]);
    expect(await page.getByRole('heading', { level: 3 }).first().textContent()).toContain('<script>alert(1)');
    await page.getByRole('link', { name: 'Older changes' }).click();
    await page.waitForURL('**/changes?before=*');
    expect(await page.getByRole('listitem').count()).toBeGreaterThan(10);
    await page.getByLabel('Kind').selectOption('gone');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.waitForURL('**/changes?kind=gone*');
    expect(await wrongIn(page)).toEqual([]);
  });
});
