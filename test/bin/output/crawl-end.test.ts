import { expect, test } from 'vitest';
import { afterCrawl, crawlSummary } from '../../../bin/output/crawl-end.js';

const report = {
  job: 'crawl',
  seconds: 4.7,
  counters: { success: 10, notmodified: 2, moved: 1, not_found: 2, failed_unsupported_type: 1, needs_scripts: 1 },
  examples: {
    not_found: "http://a.com/lo'st",
    needs_scripts: 'http://a.com/app\u001b',
    failed_unsupported_type: 'http://a.com/pic',
  },
  loginForms: [{ url: 'http://a.com/login', pages: 3 }],
};

test('the end of a crawl has its pages, the failures by reason with an example, shells and log-ins', () => {
  expect(crawlSummary(report)).toBe(`crawl: 11 pages, 2 unchanged, 1 redirect in 4.7 s
Not read: 3 pages
  not_found         2  http://a.com/lo'st
  unsupported_type  1  http://a.com/pic
Empty without scripts: 1 page, such as http://a.com/app\\u001b. A plugin can render them: see docs/PLUGINS.md.
To log in: 3 pages redirected to http://a.com/login, which has a form with a password. Set http.cookies, or renew it.
`);
});

test('after a crawl come the changes, and the commands that fit, with their table', () => {
  const counters = {
    ...report.counters,
    changes: 3,
    changes_gone: 1,
    changes_title: 2,
    changes_held: 4,
    changes_bytes: 9,
  };
  const text = afterCrawl({ ...report, counters }, { table: 'my table', quiet: false });
  expect(text.replace(/(\S) {2,}/g, '$1  ')).toBe(`Changes found: 2 title, 1 gone
Next:
  webcrawl --table 'my table' explain 'http://a.com/lo'\\''st'  why it failed, and what happens next
  webcrawl --table 'my table' export pages -o pages.csv  the pages as data; also .xlsx or .parquet
  webcrawl --table 'my table' index && webcrawl --table 'my table' serve  a search page
  webcrawl --table 'my table' changes --since 1d  the changes
`);
  const first = afterCrawl({ ...report, examples: {} }, {});
  expect(first).toMatch(/^Next:\n {2}webcrawl export pages/);
  expect(afterCrawl({ ...report, counters: { changes: 9, changes_bytes: 9 }, examples: {} }, {})).toBe('');
});
