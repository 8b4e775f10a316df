/**
 * `npm run manuals` as a user runs it: manuals of Debian in four languages, served by nginx, crawled to their end, and searched
 * in a real Chromium. Screenshots go to .cache/screenshots. Needs apt-get and dpkg if the manuals are not unpacked yet,
 * Chromium, and fonts with Chinese and Japanese characters.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ROOT } from '../support/docs/source-files.js';
import { focused, hasShapes, hiddenWidth, launchChromium, wrongIn } from '../support/web/chromium.js';

const MINUTE = 60_000;
const LEAST_PAGES = 10_000;
/** Minimum number of pages in each language. */
const LEAST_OF_LANGUAGE = 2500;
const SCREENSHOTS = join(ROOT, '.cache/screenshots');

/**
 * For each language: a query; a part of the title of one of the first ten results; the beginning of a query; one of its
 * completions.
 */
const LANGUAGES = [
  { name: 'English', query: 'layer mask', title: /Layer Mask/, begun: 'layer ma', characters: 'layermsk' },
  { name: 'Chinese', query: '页面样式', title: /页面样式/, begun: '页面样', characters: '页面样式图层打印' },
  {
    name: 'Japanese',
    query: 'レイヤーマスク',
    title: /レイヤーマスク/,
    begun: 'レイヤー',
    characters: 'レイヤマスク印刷層',
  },
  {
    name: 'Russian',
    query: 'стиль страницы',
    title: /стил[ья] страниц/i,
    begun: 'стиль стра',
    characters: 'стильраницы',
  },
] as const;

interface Status {
  readonly jobs: readonly unknown[];
  readonly totals: Readonly<Record<string, { readonly counters: Readonly<Record<string, number>> }>>;
  readonly due?: { readonly count: number };
  readonly memory: { readonly resident: number };
  readonly disk: { readonly index: number };
  readonly index?: { readonly documents: number; readonly changedAt: number };
}

let command: ChildProcess;
let output = '';
let origin: string;
/** The URL of the manuals' server. */
let site: string;
let browser: Browser;
let context: BrowserContext;
/** The requests of all pages, and the errors and warnings of the browser. */
let asked: string[];
let complaints: string[];
let isWatched: boolean;

beforeAll(async () => {
  browser = await launchChromium();
  const began = performance.now();
  command = spawn(process.execPath, [join(ROOT, 'bench/manuals.mjs'), '--port', '0'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  for await (const line of createInterface({ input: command.stderr! })) {
    output += `${line}\n`;
    origin ??= /^Search page: (\S+)/.exec(line)?.[1] as string;
    site ??= /^manuals: served at (\S+)/.exec(line)?.[1] as string;
    if (origin) break;
  }
  expect(origin, output).toBeDefined();
  command.stderr!.resume();
  const crawlBegan = performance.now();
  const { status, peak } = await wholeStatus();
  const { crawl, rank } = status.totals;
  const seconds = (status.index!.changedAt - (performance.timeOrigin + crawlBegan)) / 1000;
  console.log(
    [
      output.match(/^manuals: .*$/gm)!.join('\n'),
      `ready to crawl after ${((crawlBegan - began) / 1000).toFixed(0)} s`,
      `${crawl!.counters['fetched']} fetched, ${rank?.counters['pages'] ?? 0} ranked, ${status.index!.documents} searchable after ${seconds.toFixed(0)} s, ${(status.index!.documents / seconds).toFixed(0)} pages/s`,
      `index ${megabytes(status.disk.index)} MB, memory ${megabytes(peak)} MB at the most`,
    ].join('\n'),
  );
}, 20 * MINUTE);

afterAll(async () => {
  await browser?.close();
  if (command?.exitCode === null) {
    const ended = once(command, 'exit');
    command.kill('SIGTERM');
    await ended;
  }
}, 2 * MINUTE);

beforeEach(() => {
  asked = [];
  complaints = [];
  isWatched = true;
});
afterEach(async () => {
  await context?.close();
  expect(asked.filter((url) => !url.startsWith(origin))).toEqual([]);
  expect(complaints).toEqual([]);
});

describe('the search page of the manuals', { timeout: 5 * MINUTE }, () => {
  it(`finds at least ${LEAST_PAGES} pages, and many of each language`, async () => {
    const { index } = await status();
    expect(index!.documents).toBeGreaterThanOrEqual(LEAST_PAGES);
    const [, ...counts] = /English (\d+), Chinese (\d+), Japanese (\d+), Korean \d+, Russian (\d+)/.exec(output)!;
    for (const count of counts) expect(Number(count)).toBeGreaterThanOrEqual(LEAST_OF_LANGUAGE);
  });

  it.each(LANGUAGES)(
    'answers $name: search, highlight, pages, text as crawled, the page of the result',
    async (asked) => {
      const { query, title, begun } = asked;
      const page = await open('/');
      await page.getByRole('combobox', { name: 'Search the crawled pages' }).fill(query);
      await page.getByRole('button', { name: 'Search' }).click();
      await page.waitForURL('**/search?q=*');
      const titles = await titlesOf(page);
      expect(titles).toHaveLength(10);
      expect(titles.filter((each) => title.test(each)).length).toBeGreaterThanOrEqual(3);
      expect(await page.locator('mark').count()).toBeGreaterThanOrEqual(10);

      await page.getByRole('link', { name: 'Next' }).click();
      await page.waitForURL('**&page=2');
      const more = await titlesOf(page);
      expect(more.length).toBeGreaterThan(0);
      expect(await page.locator('ol.results').getAttribute('start')).toBe('11');
      await page.getByRole('link', { name: 'Previous' }).click();
      await page.waitForURL((url) => !url.searchParams.has('page'));
      expect(await titlesOf(page)).toEqual(titles);

      await page
        .getByRole('link', { name: /^Text as crawled/ })
        .first()
        .click();
      await page.waitForURL('**/cached?url=*');
      await page.getByText(titles[0]!).first().waitFor();
      await page.goBack();

      const result = page.locator('ol.results h2 a').first();
      const target = await result.getAttribute('href');
      expect(target).toMatch(new RegExp(`^${site}`));
      // The result is a page of another site, which may send any request there.
      isWatched = false;
      await result.click();
      await page.waitForURL(target!);
      expect(spaced(await page.title())).toBe(spaced(titles[0]!));

      const suggested = (await (
        await fetch(new URL(`/api/suggest?q=${encodeURIComponent(begun)}`, origin))
      ).json()) as {
        readonly suggestions?: readonly string[];
      };
      expect(JSON.stringify(suggested).length).toBeGreaterThan(begun.length);
    },
  );

  it.each(LANGUAGES)('can be used by keyboard alone in $name', async ({ query }) => {
    const page = await open('/');
    await expect.poll(() => page.locator(':focus').getAttribute('name')).toBe('q');
    await page.keyboard.insertText(query);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/search?q=*');
    const [first] = await titlesOf(page);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    for (const name of ['Search the crawled pages', 'Search', 'Filter', first!]) {
      await page.keyboard.press('Tab');
      expect(await focused(page)).toEqual({ name, outline: 'solid' });
    }
    for (let tabs = 0; (await focused(page)).name !== 'Next'; tabs++) {
      expect(tabs).toBeLessThan(100);
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
    await page.waitForURL('**&page=2');
  });

  it.each(LANGUAGES)('can be read aloud in $name', async ({ query }) => {
    const page = await open(`/search?q=${encodeURIComponent(query)}`);
    const tree = await page.locator('body').ariaSnapshot();
    for (const line of ['banner:', 'main:', `combobox "Search the crawled pages": ${query}`, 'button "Search"'])
      expect(tree).toContain(line);
    expect(tree).toMatch(new RegExp(`heading "[\\d,]+ pages for ${query}" \\[level=1\\]`));
    expect(tree).toContain('navigation "Pages of results"');
    expect(tree.match(/heading "[^"]+" \[level=2\]/g)).toHaveLength(10);
    expect(tree).toMatch(/mark: \S/);
  });

  it.each(
    LANGUAGES.flatMap((language) =>
      [320, 1280].flatMap((width) =>
        (['light', 'dark'] as const).map((colorScheme) => ({ ...language, width, colorScheme })),
      ),
    ),
  )('fits $width pixels in $name, $colorScheme', async ({ name, query, characters, width, colorScheme }) => {
    const page = await open(`/search?q=${encodeURIComponent(query)}`, {
      viewport: { width, height: 900 },
      colorScheme,
    });
    expect(await hiddenWidth(page)).toBe(0);
    expect(await wrongIn(page)).toEqual([]);
    expect(await hasShapes(page, characters), 'expected fonts, for instance by apt-get install fonts-noto-cjk').toBe(
      true,
    );
    await page.screenshot({ path: join(SCREENSHOTS, `search-${name}-${width}-${colorScheme}.png`) });
  });

  it.each([
    ['/', 320, 'dark'],
    ['/', 1280, 'light'],
    ['/dashboard', 320, 'light'],
    ['/dashboard', 1280, 'dark'],
  ] as const)('shows %s in %s pixels, %s', async (path, width, colorScheme) => {
    const page = await open(path, { viewport: { width, height: 900 }, colorScheme });
    expect(await hiddenWidth(page)).toBe(0);
    expect(await wrongIn(page)).toEqual([]);
    const name = path === '/' ? 'home' : 'dashboard';
    await page.screenshot({ path: join(SCREENSHOTS, `${name}-${width}-${colorScheme}.png`), fullPage: true });
  });
});

async function open(path: string, options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
  context = await browser.newContext(options);
  const page = await context.newPage();
  page.on('request', (request) => void (isWatched && asked.push(request.url())));
  page.on('console', (message) => {
    if (isWatched && message.type() === 'error') complaints.push(message.text());
  });
  await page.goto(new URL(path, origin).href);
  return page;
}

const titlesOf = (page: Page): Promise<string[]> => page.locator('ol.results h2').allInnerTexts();

async function status(): Promise<Status> {
  return (await (await fetch(new URL('/api/status', origin))).json()) as Status;
}

/** The figures when all pages are crawled, ranked and indexed, and the peak memory until then. */
async function wholeStatus(): Promise<{ status: Status; peak: number }> {
  let peak = 0;
  let now!: Status;
  const isWhole = async (): Promise<boolean> => {
    expect(command.exitCode, 'npm run manuals has ended').toBeNull();
    // In its first moments the status has no figures.
    const answer = await fetch(new URL('/api/status', origin));
    if (!answer.ok) return false;
    now = (await answer.json()) as Status;
    peak = Math.max(peak, now.memory.resident);
    const { success = Infinity, sitemaps_added: sitemaps = 0 } = now.totals['crawl']?.counters ?? {};
    const { jobs, due, totals, index } = now;
    return (
      jobs.length === 0 && due?.count === 0 && totals['rank'] !== undefined && index?.documents === success - sitemaps
    );
  };
  await vi.waitUntil(isWhole, { timeout: 15 * MINUTE, interval: 500 });
  return { status: now, peak };
}

/** Manuals have non-breaking spaces. */
const spaced = (text: string): string => text.replace(/\s+/g, ' ').trim();

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(0);
