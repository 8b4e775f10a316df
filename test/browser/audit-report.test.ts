import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  HOSTILE_FINDINGS,
  RULES,
  madeFinding,
  madeReport,
  madeSource,
  written,
  type MadeReport,
} from '../support/audit/made-report.js';
import { suiteFolder } from '../support/files/temp-folder.js';
import { hiddenWidth, launchChromium, wrongIn } from '../support/web/chromium.js';

const folder = suiteFolder();
let browser: Browser;
let context: BrowserContext;
/** The errors that the browser reported, and its requests besides the page. */
let complaints: string[];
let asked: string[];

beforeAll(async () => {
  browser = await launchChromium();
}, 120_000);
afterAll(() => browser?.close());
afterEach(() => context.close());

async function open(report: MadeReport, options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
  const { text } = await written(report, { format: 'html' });
  const file = join(folder, 'report.html');
  writeFileSync(file, text);
  [complaints, asked] = [[], []];
  context = await browser.newContext(options);
  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('dialog', (dialog) => {
    complaints.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (request.url() !== pathToFileURL(file).href) asked.push(request.url());
  });
  await page.goto(pathToFileURL(file).href);
  return page;
}

/** Findings of all rules in ten sections, with ten sources each. */
function largeReport(size: number, changes: Partial<MadeReport['summary']> = {}): MadeReport {
  const each = Math.ceil(size / RULES.length);
  return madeReport(
    Array.from({ length: size }, (_, i) => {
      const rule = RULES[Math.floor(i / each)]!;
      return madeFinding({
        id: `f${i}`,
        rule: rule.id,
        severity: rule.severity,
        url: `https://example.com/s${i % 10}/page-${i}.html`,
        state: rule.id === 'external-unverified' ? 'unverified' : 'open',
        impact: size - i,
        sources: {
          total: 40,
          shown: Array.from({ length: 10 }, (_x, s) => madeSource({ url: `https://example.com/from/${i}-${s}` })),
        },
      });
    }),
    changes,
  );
}

describe('the page of a report', { timeout: 120_000 }, () => {
  it.each([
    ['light', 1280],
    ['light', 390],
    ['dark', 1280],
    ['dark', 390],
  ] as const)('is readable: %s, %i pixels', async (colorScheme, width) => {
    const because = ['31 pages are due', `https://example.com/${'long'.repeat(60)} is away`];
    const page = await open(largeReport(700, { complete: false, because }), {
      colorScheme,
      viewport: { width, height: 900 },
    });
    await page.locator('.rule > summary').first().click();
    await page.locator('.section > summary').first().click();
    await page.locator('.sources > summary').first().click();
    expect(await hiddenWidth(page)).toBe(0);
    expect(await wrongIn(page)).toEqual([]);
    expect([complaints, asked]).toEqual([[], []]);
  });

  it('leads from a rule to a section, its findings and their sources', async () => {
    const page = await open(largeReport(700));
    expect(await page.getByRole('status').textContent()).toBe('700 findings, by 7 rules');
    const rule = page.locator('.rule').first();
    expect(await rule.locator('> summary').innerText()).toMatch(
      /error\s+Link to a page that is not there link-broken\s+100/,
    );
    await rule.locator('> summary').press('Enter');
    expect(await rule.locator('.help').innerText()).toBe('Change or remove the link.');
    expect(await rule.locator('.section').count()).toBe(10);
    const section = rule.locator('.section').first();
    await section.locator('> summary').press('Enter');
    const finding = section.locator('.findings > li').first();
    await finding.waitFor();
    expect(await section.locator('.findings > li').count()).toBe(10);
    expect(await finding.getByRole('link').first().getAttribute('href')).toBe('https://example.com/s0/page-0.html');
    await finding.locator('.sources > summary').press('Enter');
    await finding.locator('.sources li').first().waitFor();
    expect(await finding.locator('.sources li').count()).toBe(11);
    expect(await finding.locator('.sources li').last().innerText()).toBe('and 30 more');
  });

  it('draws 200 findings of a section at once', async () => {
    const page = await open(
      madeReport(Array.from({ length: 450 }, (_, i) => madeFinding({ id: `f${i}`, url: `https://example.com/${i}` }))),
    );
    await page.locator('.rule > summary').click();
    await page.locator('.turn span').waitFor();
    const shown = async () => [
      await page.locator('.findings > li').count(),
      await page.locator('.turn span').innerText(),
    ];
    expect(await shown()).toEqual([200, '1 to 200 of 450']);
    const next = page.getByRole('button', { name: 'Next' });
    await next.click();
    await next.click();
    expect(await shown()).toEqual([50, '401 to 450 of 450']);
    expect(await next.isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Previous' }).click();
    expect(await page.locator('.findings > li a').first().innerText()).toBe('https://example.com/200');
  });

  it('finds by address, message, page with the link, severity, group and state', async () => {
    const page = await open(largeReport(700, { since: 1 }));
    const count = page.getByRole('status');
    const search = page.getByLabel('Search');
    await search.fill('PAGE-69.html');
    await expect.poll(() => count.textContent()).toBe('1 of 700 findings, by 1 rule');
    expect(await page.locator('.findings > li').count()).toBe(1);
    await search.fill('/from/123-4');
    await expect.poll(() => count.textContent()).toBe('1 of 700 findings, by 1 rule');
    await search.fill('');
    await expect.poll(() => count.textContent()).toBe('700 findings, by 7 rules');
    await page.getByLabel('Severity').selectOption('warn');
    expect(await count.textContent()).toBe('200 of 700 findings, by 2 rules');
    await page.getByLabel('Group').selectOption('titles');
    expect(await count.textContent()).toBe('100 of 700 findings, by 1 rule');
    await page.getByLabel('Severity').selectOption('');
    await page.getByLabel('Group').selectOption('');
    await page.getByLabel('State').selectOption('unsure');
    expect(await count.textContent()).toBe('100 of 700 findings, by 1 rule');
    await page.getByLabel('State').selectOption('new');
    expect(await count.textContent()).toBe('0 of 700 findings, by 0 rules');
  });

  it('runs no code from a page, and shows it as text', async () => {
    const page = await open(
      madeReport(HOSTILE_FINDINGS, {
        scope: ['</title><script>alert(2)</script>'],
        complete: false,
        because: ['<b>x'],
      }),
    );
    for (const summary of await page.locator('.sources > summary').all()) await summary.click();
    expect(await page.locator('img, main script, b').count()).toBe(0);
    expect(await page.locator('a[href^="javascript"]').count()).toBe(0);
    expect(await page.title()).toBe('Audit of </title><script>alert(2)</script>');
    expect(await page.locator('.message').first().innerText()).toContain(
      '=1+1 </script><!--<img src=x onerror=alert(1)>]]>',
    );
    expect([complaints, asked]).toEqual([[], []]);
  });

  it('states that nothing was found, and what was not checked', async () => {
    const page = await open(madeReport([], { complete: false, because: ['31 pages are due'] }));
    expect(await page.getByRole('status').textContent()).toBe('No fault was found in the pages of this audit.');
    expect(await page.locator('.missing').innerText()).toContain('31 pages are due');
    expect(complaints).toEqual([]);
  });

  it('names the file with the sources if it does not contain them', async () => {
    const size = 20_001;
    const counts = { error: size, warn: 0, notice: 0, unverified: 0, new: 0 };
    const page = await open(madeReport((i) => (i < size ? madeFinding({ id: `f${i}` }) : undefined), { counts }));
    expect(await page.getByRole('link', { name: 'report-sources.csv' }).getAttribute('href')).toBe(
      './report-sources.csv',
    );
    await page.locator('.rule > summary').click();
    await page.locator('.sources > summary').first().click();
    expect(await page.locator('.sources li').first().innerText()).toBe('1 that this page does not hold');
    expect(complaints).toEqual([]);
  });

  it('shows the address of each finding and source on paper, where all folds are open', async () => {
    const findings = Array.from({ length: 40 }, (_, i) =>
      madeFinding({ id: `f${i}`, url: `https://example.com/s${i % 2}/${i}` }),
    );
    const page = await open(madeReport(findings));
    expect(await page.locator('.findings > li').count()).toBe(0);
    await page.evaluate(
      `addEventListener('beforeprint', () => { shown = document.querySelectorAll('.findings > li a').length; folded = document.querySelectorAll('details:not([open])').length; })`,
    );
    await page.pdf();
    expect(await page.evaluate('[shown, folded]')).toEqual([80, 0]);
    expect(await page.locator('details[open]').count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});
