import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { openContext, rowKeyOf, type PageChange, type PrefixNode } from '../../../packages/webcrawl/internal.js';
import { Sink, runLine, testIo } from '../test-io.js';
import { freshFolder } from '../../support/files/temp-folder.js';

const folder = freshFolder();

beforeEach(async () => {
  await using crawl = await openContext({ table: join(folder, 'table') });
  const pages = (start: string, count: number, set: PageChange['set'] = { status: 'unfetched' }): PageChange[] =>
    Array.from({ length: count }, (_, i) => ({ key: rowKeyOf(start + i), set }));
  const fetched = { status: 'fetched', bodyBytes: 50_000, fetchMs: 600 } as const;
  await crawl.tables.pages.write([
    ...pages('https://www.news.example/archive/2026/a', 60, { ...fetched, relevant: true }),
    ...pages('https://www.news.example/archive/2026/b', 20),
    ...pages('https://www.news.example/tag?sort=up&page=', 40, {
      ...fetched,
      duplicateOf: 'https://www.news.example/',
    }),
    ...pages(`https://www.news.example/${'long'.repeat(40)}/`, 12, { status: 'gone' }),
    ...pages('http://other.example/', 10),
  ]);
});

const webcrawl = (args: readonly string[], columns?: number) =>
  runLine(['--table', join(folder, 'table'), ...args], {
    ...testIo(),
    stdout: new Sink(columns === undefined ? {} : { columns }),
  });

const prefixes = (...args: readonly string[]) => webcrawl(['prefixes', ...args]);

describe('webcrawl prefixes', () => {
  test('counts prefixes, and shows a tree with bars', async () => {
    const { code, out, err } = await webcrawl(['prefixes'], 120);
    expect(code).toBe(0);
    expect(err).toContain('142 rows of 2 hosts in all.');
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => line.trimEnd());
    expect(lines.map((line) => line.slice(0, 40).trimEnd())).toEqual([
      'prefix',
      'https://www.news.example/',
      '  archive/2026/',
      expect.stringMatching(/^ {2}longlong/) as string,
      '  tag?',
      '    ?page=',
      '    ?sort=',
      'http://other.example/',
    ]);
    expect(lines[0]).toMatch(/prefix +rows +fetched +relevant +dup +err +size +time$/);
    expect(lines[7]).toMatch(/ 10 {2}░ +0% +0% +0% +0% +0 bytes +0\.0 s$/);
    expect(lines[1]).toMatch(/ 132 {2}████████░░ +76% +45% +30% +9% +5 MB +1 min 0 s$/);
    expect(lines[2]).toMatch(/ 80 {2}█████░ +75% +75% +0% +0% +3 MB +36 s$/);
    expect(lines[3]).toMatch(/… +12 {2}░ +0% +0% +0% +100%/);
  });

  test.each([20, 40, 60, 80, 100, 133, 250])('fits into %i columns', async (columns) => {
    const { out } = await webcrawl(['prefixes', '--min', '1'], columns);
    const lines = out.trimEnd().split('\n');
    expect(lines).toHaveLength(8);
    // In fewer columns, a number and a part of the name are shown all the same.
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(Math.max(columns, 20));
    expect(out).toContain('132');
  });

  test('shows stored counts without a new count, with their age and the changes since', async () => {
    expect(await prefixes('--stored')).toMatchObject({ code: 1, out: '' });
    await prefixes('--min', '20', '--depth', '1', '-q');
    await webcrawl(['rules', 'add', 'relevant', '/archive/']);
    const { code, out, err } = await prefixes('--stored');
    expect(code).toBe(0);
    expect(err).toMatch(/Counted .+ ago, with --min 20 --depth 1; the rules have changed since\./);
    expect(out).toContain('  archive/ ');
    expect(out).not.toContain('2026');
    expect((await prefixes('--stored', '--depth', '0')).out.trimEnd().split('\n')).toHaveLength(2);
    for (const how of [[], ['--json']]) {
      expect(await prefixes('--stored', '--min', '1000', ...how)).toMatchObject({
        code: 1,
        out: '',
        err: expect.stringContaining(
          'No prefix has 1,000 pages or more, and smaller ones are not shown: --min 1',
        ) as string,
      });
    }
    expect(await prefixes('--stored', '--domain', 'nobody.example')).toMatchObject({ code: 1, out: '' });
  });

  test('counts and shows one domain alone', async () => {
    const { out, err } = await prefixes('--domain', 'other.example');
    expect(out.trimEnd().split('\n')).toHaveLength(2);
    expect(err).toContain('10 rows of 1 host in all.');
    expect(await prefixes('--stored')).toMatchObject({ code: 1 });
    expect(await prefixes('--stored', '--domain', 'other.example')).toMatchObject({ code: 0, out });
  });

  test('prints JSON Lines and CSV, to a file as well', async () => {
    const { code, out } = await prefixes('--json');
    expect(code).toBe(0);
    const nodes = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as PrefixNode);
    expect(nodes).toHaveLength(8);
    expect(nodes[0]).toMatchObject({ origin: 'https://www.news.example', prefix: '/', rows: 132, relevant: 60 });
    const csv = await prefixes('--stored', '--format', 'csv', '-q');
    const [head, ...records] = csv.out.trimEnd().split('\r\n');
    expect(head).toBe(
      'origin,host,domain,prefix,parameter,rows,unfetched,fetched,gone,redir_temp,redir_perm,retry,notmodified,relevant,duplicates,errors,bytes,fetchMs',
    );
    expect(records).toHaveLength(8);
    expect(records.at(-2)).toBe(
      'https://www.news.example,www.news.example,www.news.example,/tag?,sort,40,,40,,,,,,0,40,0,2000000,24000',
    );
    const file = join(folder, 'prefixes.jsonl');
    expect((await prefixes('--stored', '--output', file)).err).toContain(`Prefixes written to ${file}: 8`);
    expect(await readFile(file, 'utf8')).toBe(out);
    expect(await prefixes('--stored', '--output', file)).toMatchObject({ code: 73 });
  });

  test('shows about a hundred of the largest prefixes, and the number of others', async () => {
    {
      await using crawl = await openContext({ table: join(folder, 'table') });
      const key = (host: number, page: number): string => rowKeyOf(`http://h${host}.example/${page}`);
      for (let host = 0; host < 150; host++) {
        const pages = Array.from({ length: 10 + (host % 50) }, (_, page) => key(host, page));
        await crawl.tables.pages.write(pages.map((each) => ({ key: each, set: { status: 'unfetched' } })));
      }
    }
    const { out, err } = await prefixes();
    expect(out.split('\n').length).toBeLessThan(102);
    expect(out).toContain('https://www.news.example/');
    expect(err).toMatch(/Smaller prefixes, which are not shown: \d+; --min 1 shows all that were counted\./);
    expect((await prefixes('--min', '10')).out.trimEnd().split('\n')).toHaveLength(1 + 7 + 150);
  });

  test.each([
    [['--min', '0'], 64],
    [['--json', '--format', 'csv'], 64],
    [['--force'], 64],
    [['--domain', 'a/b'], 65],
  ])('%j is refused with %i', async (args, code) => {
    expect(await prefixes(...args)).toMatchObject({ code, out: '' });
  });
});
