import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { servePages, type RunningServer } from '../../packages/serve/index.js';
import { hiddenWidth, launchChromium, wrongIn } from '../support/web/chromium.js';
import { fakeRules } from '../support/web/fake-rules.js';
import { fakeSource } from '../support/web/fake-source.js';

const PATHS = ['/rules', '/rules/report', '/rules/prefixes', '/rules/proposals'];

let browser: Browser;
let served: RunningServer;
let rules: ReturnType<typeof fakeRules>;
let context: BrowserContext;
/** The errors that the browser reported. */
let complaints: string[];

beforeAll(async () => {
  browser = await launchChromium();
}, 120_000);
afterAll(() => browser?.close());
beforeEach(async () => {
  rules = fakeRules();
  complaints = [];
  served = await servePages(fakeSource({ rules }), { port: 0 });
});
afterEach(async () => {
  await context.close();
  await served.close();
});

async function open(path: string, options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
  context = await browser.newContext(options);
  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  await page.goto(new URL(path, served.url).href);
  return page;
}

describe('the pages of the rules', { timeout: 120_000 }, () => {
  it.each([true, false])('can be used by keyboard alone, with scripts %s', async (javaScriptEnabled) => {
    const page = await open('/rules', { javaScriptEnabled });
    const disable = page.getByRole('button', { name: 'Disable r3' });
    await disable.focus();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/rules?changed=r3#r3');
    expect(await page.getByRole('status').textContent()).toContain('r3 is disabled now');
    await page.getByRole('button', { name: 'Enable r3' }).focus();
    await page.keyboard.press('Space');
    await page.getByText('r3 is active now').waitFor();
    await page.getByRole('link', { name: 'Proposals', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Apply proposal 1' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'rule r6' }).waitFor();
    expect(rules.calls).toEqual([
      ['r3', 'disabled', false],
      ['r3', 'active', false],
      ['apply', 'list-1', 1],
    ]);
    expect(complaints).toEqual([]);
  });

  it('ask for confirmation before a rule that rejects seeds is enabled; the change can be cancelled', async () => {
    const page = await open('/rules');
    await page.getByRole('button', { name: 'Disable r1' }).click();
    await page.getByRole('button', { name: 'Enable r1' }).click();
    expect(await page.getByRole('alert').textContent()).toContain('would reject 2 seeds');
    expect(await wrongIn(page)).toEqual([]);
    await page.getByRole('link', { name: 'Leave it as it is' }).click();
    await page.getByRole('button', { name: 'Enable r1' }).click();
    await page.getByRole('button', { name: 'Enable it anyway r1' }).click();
    await page.getByText('r1 is active now').waitFor();
    expect(rules.calls).toEqual([
      ['r1', 'disabled', false],
      ['r1', 'active', true],
    ]);
  });

  it('cannot be submitted by a page of another site', async () => {
    const page = await open('/rules');
    const token = await page.locator('input[name="token"]').first().getAttribute('value');
    const action = new URL('/rules/change', served.url).href.replace('localhost', '127.0.0.1');
    const fields = Object.entries({ token: token!, id: 'r3', state: 'disabled' });
    const inputs = fields.map(([name, value]) => `<input name="${name}" value="${value}">`).join('');
    for (const to of [action, action.replace('127.0.0.1', 'localhost')]) {
      await page.route('http://evil.localhost/', (route) =>
        route.fulfill({
          contentType: 'text/html',
          body: `<form method="post" action="${to}">${inputs}<button>Win a prize</button></form>`,
        }),
      );
      await page.goto('http://evil.localhost/');
      const [answer] = await Promise.all([page.waitForResponse(to), page.getByRole('button').click()]);
      expect(answer.status()).toBe(403);
    }
    expect(rules.calls).toEqual([]);
  });

  it('have landmarks, headings, names of charts and tables for screen readers', async () => {
    const page = await open('/rules');
    const tree = await page.locator('body').ariaSnapshot();
    for (const line of [
      'heading "Rules" [level=1]',
      'navigation "Rules":',
      'heading "reject /tag/" [level=2]',
      'img "Pages passed over and links rejected over time by r1: 58,023 at last',
      'button "Disable r1"',
    ]) {
      expect(tree).toContain(line);
    }
    await page.goto(new URL('/rules/prefixes', served.url).href);
    await page.getByRole('table', { name: 'Pages by prefix' }).waitFor();
    await page.getByLabel('Domain').fill('none.example');
    await page.keyboard.press('Enter');
    await page.getByText('webcrawl prefixes').waitFor();
  });

  it.each([
    [320, 'light'],
    [390, 'dark'],
    [1280, 'light'],
    [1280, 'dark'],
  ] as const)('fit %s pixels in %s, and axe finds nothing wrong with them', async (width, colorScheme) => {
    const page = await open('/rules', { viewport: { width, height: 800 }, colorScheme });
    for (const path of PATHS) {
      await page.goto(new URL(path, served.url).href);
      expect(await hiddenWidth(page), path).toBe(0);
      expect(await wrongIn(page), path).toEqual([]);
    }
    expect(complaints).toEqual([]);
  });
});
