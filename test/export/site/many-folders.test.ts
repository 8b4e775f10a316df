import { expect, onTestFinished, test, vi } from 'vitest';
import { createSites } from '../../../packages/export/site/sites.js';
import { START, testCrawl } from '../../support/test-crawl.js';

test('rows that alternate between two origins with many folders scan each origin once', async () => {
  const crawl = await testCrawl(undefined);
  onTestFinished(() => crawl.close());
  const origins = ['com.a:http/', 'com.b:http/'];
  const set = { status: 'fetched', contentType: 'text/html', parseStatus: { code: 'success' } } as const;
  const pages = (folder: string) => Array.from({ length: 20 }, (_, i) => ({ key: `${folder}${i}`, set }));
  for (const origin of origins) {
    for (let i = 0; i < 501; i++) await crawl.tables.pages.write(pages(`${origin}f${i}/`));
  }
  const scan = vi.spyOn(crawl.tables.pages, 'scan');
  const sites = createSites(crawl);
  for (let i = 0; i < 2; i++) {
    for (const origin of origins) expect(await sites.hasChangedSince(`${origin}f1/1`, START)).toBe(false);
  }
  const scanned = scan.mock.calls.map(([options]) => options.ranges![0]!.start);
  expect(scanned.filter((start) => origins.includes(start))).toEqual(origins);
});

test('a site is sampled once, even if its template has left the memory since', async () => {
  const crawl = await testCrawl(undefined);
  onTestFinished(() => crawl.close());
  const set = { status: 'fetched', contentType: 'text/html', parseStatus: { code: 'success' } } as const;
  const folders = Array.from({ length: 120 }, (_, i) => `com.a:http/f${i}/`);
  for (const folder of folders) {
    await crawl.tables.pages.write(Array.from({ length: 20 }, (_, i) => ({ key: `${folder}${i}`, set })));
  }
  const scan = vi.spyOn(crawl.tables.pages, 'scan');
  const sites = createSites(crawl);
  for (const folder of [...folders, ...folders]) await sites.hasChangedSince(`${folder}1`, START);
  expect(scan.mock.calls.map(([options]) => options.ranges![0]!.start)).toEqual(['com.a:http/', ...folders]);
  expect(sites.about()).toMatchObject({ sites: { count: 120 } });
});
