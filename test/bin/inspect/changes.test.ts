import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { jobs, openContext, type OpenContext } from '../../../packages/webcrawl/internal.js';
import { testOptions } from '../../../packages/webcrawl/testing/test-crawl.js';
import { suiteFolder } from '../../support/files/temp-folder.js';
import { fakeWeb } from '../../support/web/fake-web.js';
import { runLine } from '../test-io.js';

const DAY = 86_400_000;
const A = 'http://a.com/';
const folder = suiteFolder();
const table = `level:${join(folder, 'table')}`;
const webcrawl = (...args: string[]) => runLine(['--table', table, ...args]);

const page = (title: string, text: string): string =>
  `<title>${title}</title><p>A first paragraph of this page, which is long enough to be content.<p>${text}`;

/** Crawls the site in its present state, with a clock that is some days back. */
async function crawl(web: ReturnType<typeof fakeWeb>, daysAgo: number, run: (crawl: OpenContext) => Promise<unknown>) {
  const now = Date.now() - daysAgo * DAY;
  const settings = { 'db.keepVersions': 2 };
  await using context = await openContext({ ...testOptions(web, { table, settings }), clock: () => now });
  await run(context);
}

beforeAll(async () => {
  const web = fakeWeb({
    [A]: page('Old `title`', 'Old text.'),
    [`${A}gone`]: page('B', 'Text.'),
    [`${A}token`]: page('C', 'Text.'),
  });
  await crawl(web, 50, (context) => jobs.crawl(context, { seeds: [A, `${A}gone`, `${A}token`] }));
  web.set(A, page('New [title]', 'New text, ```\u001b[31mred.'));
  web.set(`${A}gone`, { status: 410 });
  web.set(`${A}token`, { html: `${page('C', 'Text.')}<!-- 2 -->` });
  await crawl(web, 2, (context) => jobs.crawl(context, { seeds: [A] }));
});

describe('changes', () => {
  test('shows the changes, with totals', async () => {
    const { code, out, err } = await webcrawl('changes');
    expect(out).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\dZ {2}content, title {2}http:\/\/a\.com\/\n {4}title: "Old `title`" -> "New \[title\]"\n {4}content: \d+ -> \d+ characters\n.* gone {2}http:\/\/a\.com\/gone\n {4}status: 200 -> 410\n$/,
    );
    expect(err).toMatch(/^Since .*: 2 records\.\n1 page with other bytes only \(--kind bytes lists them\)\.\n$/);
    expect(code).toBe(0);
    expect((await webcrawl('changes', '--since', '60d')).err).toMatch(
      /\nBaseline, 3 pages: found by the first crawl. They do not count as changes\.\n1 page with .*\nThese may not be all changes: the log begins at .*\.\n$/,
    );
  });

  test('takes kinds, a host, a limit and a time, and exits with 1 if there is no change', async () => {
    expect((await webcrawl('changes', '--kind', 'bytes')).out).toMatch(/ bytes {2}http:\/\/a\.com\/token\n$/);
    expect((await webcrawl('changes', '--kind', 'gone')).out.split('\n')).toHaveLength(3);
    expect((await webcrawl('changes', '--host', 'a.com', '--limit', '1')).out).not.toContain('gone');
    const none = await webcrawl('changes', '--since', '1d');
    expect([none.code, none.out]).toEqual([1, '']);
    expect(none.err).toContain('no change');
    const wrong = await webcrawl('changes', '--kind', 'text');
    expect([wrong.code, wrong.err]).toEqual([64, expect.stringContaining('known names are new, gone')]);
    expect((await webcrawl('changes', '--since', 'release')).err).toContain(
      'no mark has the name "release"\nhint: there is no mark yet; a time is 2026-01-31 or 7d, for 7 days ago\n',
    );
  });

  test('prints JSON Lines from which the next call can continue', async () => {
    const { out } = await webcrawl('changes', '--json');
    const [first, second] = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(first).toMatchObject({
      type: 'page',
      url: A,
      kinds: ['content', 'title'],
      before: { title: 'Old `title`' },
    });
    expect((await webcrawl('changes', '--json', '--cursor', String(first!.cursor))).out.trim()).toBe(
      JSON.stringify(second),
    );
    expect((await webcrawl('changes', '--cursor', 'x', '--since', '1d')).code).toBe(64);
    expect((await webcrawl('changes', '--json', '--format', 'markdown')).code).toBe(64);
  });

  test('shows the diff of the main content, without terminal control sequences', async () => {
    const { out } = await webcrawl('changes', '--diff', '--kind', 'content');
    expect(out).toContain('- Old text.\n');
    expect(out).toContain('+ New text, ```');
    expect(out).not.toContain('\u001b');
  });

  test('writes Markdown with titles and lines escaped', async () => {
    const { out, err } = await webcrawl('changes', '--diff', '--format', 'markdown');
    expect(err).toBe('');
    expect(out).toContain('- **content, title**: [New \\[title\\]](<http://a.com/>)');
    expect(out).toContain('\n    ````diff\n');
  });
});

describe('mark', () => {
  test('sets, lists and removes marks', async () => {
    expect((await webcrawl('mark')).err).toContain('There is no mark');
    expect(await webcrawl('mark', 'release-41')).toMatchObject({
      code: 0,
      err: expect.stringContaining('--since release-41') as string,
    });
    expect((await webcrawl('mark', '--list')).out).toMatch(/^release-41 {2}\d{4}-/);
    expect((await webcrawl('changes', '--since', 'release-41')).code).toBe(1);
    expect((await webcrawl('mark', 'release-41', '--remove')).code).toBe(0);
    expect((await webcrawl('mark', 'release-41', '--remove')).code).toBe(1);
    expect((await webcrawl('mark', '--remove')).code).toBe(64);
    expect((await webcrawl('mark', '7d')).code).toBe(64);
  });
});
