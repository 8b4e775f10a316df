import { expect, onTestFinished, test } from 'vitest';
import { jobs, serve } from '../../packages/webcrawl/internal.js';
import { suiteFolder } from '../support/files/temp-folder.js';
import { START, testCrawl } from '../support/test-crawl.js';
import { fakeWeb } from '../support/web/fake-web.js';

const DAY = 86_400_000;
const HOST = 'http://docs.example.com';
const INTRO =
  'A paragraph in front, which is long enough that only some of its words are shown beside a change of the text.';

/** The page of changes after two crawls: as text, with one line for each element. */
async function pageAfter(settings: Record<string, unknown>, path = '/changes'): Promise<string> {
  const page = (text: string, head = ''): string => `<title>Visit</title>${head}<main><p>${text}</p></main>`;
  const head = '<meta name="robots" content="noarchive">';
  const web = fakeWeb({
    [`${HOST}/`]: page(`${INTRO} A ticket costs eight <b>pounds</b>.`),
    [`${HOST}/private`]: page('The old secret.', head),
    [`${HOST}/token`]: page('The same.'),
  });
  const crawl = await testCrawl(web, { settings: { ...settings, 'index.path': suiteFolder() } });
  onTestFinished(() => crawl.close());
  const seeds = { seeds: [`${HOST}/`, `${HOST}/private`, `${HOST}/token`] };
  await jobs.crawl(crawl, seeds);
  for (const [days, price] of [
    [40, 'nine &lt;i>'],
    [80, 'ten'],
  ] as const) {
    web.set(`${HOST}/`, { html: page(`${INTRO} A ticket costs ${price} <b>pounds</b>.`) });
    web.set(`${HOST}/private`, { html: page(`The new secret ${price}.`, head) });
    web.set(`${HOST}/token`, { html: `${page('The same.')}<!-- ${price} -->` });
    crawl.setTime(START + days * DAY);
    await jobs.crawl(crawl, seeds);
  }
  const served = await serve(crawl, { port: 0 });
  onTestFinished(() => served.close());
  return (await (await fetch(new URL(path, served.url))).text()).replace(/\s+/g, ' ');
}

test('the page of changes shows the words that changed, by day, if both versions are stored and the page allows a copy', async () => {
  const text = await pageAfter({ 'db.keepVersions': 3 });
  expect(text.match(/<h2 class="day">.*?<\/h2>/g)).toHaveLength(2);
  expect(text).toContain('1 word inserted, 2 words deleted');
  expect(text).toContain('… a change of the text. A ticket costs <del>nine &lt;i&gt;</del> <ins>ten</ins> pounds.');
  expect(text).toContain('… ');
  expect(text).not.toContain('secret');
  expect(text).not.toContain('db.keepVersions');
  expect(text).toMatch(/href="\/changes\?kind=bytes" >2 pages with other bytes only/);
});

test('the page of changes shows counts, and names the setting, if a version is not stored', async () => {
  const text = await pageAfter({ 'db.keepVersions': 1 });
  expect(text).not.toContain('<ins>');
  expect(text).toContain('content: 141 -&gt; 136 characters');
  expect(text.match(/the version before the change is no longer stored: db\.keepVersions is 1\./g)).toHaveLength(1);
  expect(await pageAfter({}, '/changes?kind=bytes')).not.toContain('other bytes only');
});
