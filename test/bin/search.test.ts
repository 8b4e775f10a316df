import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { SearchHit } from '../../packages/search/index.js';
import { resetStub, stub } from './stub-api.js';
import { Sink, runLine, testIo } from './test-io.js';

vi.mock('../../packages/webcrawl/internal.js', async () => (await import('./stub-api.js')).api);

beforeEach(resetStub);

const asked = () => stub.calls.find(({ name }) => name === 'search')?.options;

const HIT: SearchHit = {
  url: 'https://example.com/a',
  title: 'A page\u001b[2J\nof crawlers',
  snippet: [
    { text: 'About ', hit: false },
    { text: 'crawlers', hit: true },
    { text: '.\u0007', hit: false },
  ],
  language: 'en',
  fetchedAt: 1,
  modifiedAt: 0,
  score: 3,
  rank: 0.1,
  moreFromHost: 4,
};

describe('search', () => {
  test.each([
    [['search', 'crawler', 'engine'], { query: 'crawler engine', page: 1, limit: 10, fold: true }],
    [
      ['search', '"a b" -c', '--page', '2', '--limit', '50', '--no-fold'],
      { query: '"a b" -c', page: 2, limit: 50, fold: false },
    ],
    [['search', '--', '-draft', 'x'], { query: '-draft x', page: 1, limit: 10, fold: true }],
  ])('%j', async (args, options) => {
    await runLine(args);
    expect(asked()).toEqual(options);
    expect(stub.calls.find(({ name }) => name === 'openContext')?.options).toMatchObject({
      name: 'search',
      create: false,
    });
    expect(stub.closed).toBe(1);
  });

  test('prints title, URL and snippet with escaped text, and the number of hits', async () => {
    stub.found = {
      total: 1234,
      page: 2,
      pages: 3,
      hits: [HIT],
      notices: [{ code: 'bad_date', message: 'No date.\u001b' }],
    };
    const { code, out, err } = await runLine(['search', 'crawler', '--page', '2']);
    expect(code).toBe(0);
    expect(out).toBe(
      [
        '11. A page\\u001b[2J of crawlers',
        '    https://example.com/a',
        '    About crawlers.\\u0007',
        '    (4 more of this host: --no-fold)',
        '',
        '1,234 pages found in 0.01 s, page 2 of 3; --page 3 shows more',
        '',
      ].join('\n'),
    );
    expect(err).toBe('No date.\\u001b\n');
  });

  test('marks words in bold at a terminal only', async () => {
    stub.found = { total: 1, pages: 1, hits: [HIT] };
    const io = { ...testIo(), stdout: new Sink({ isTTY: true }) };
    expect((await runLine(['search', 'crawler'], io)).out).toContain('About \u001b[1mcrawlers\u001b[22m.');
    expect((await runLine(['search', 'crawler'])).out).not.toContain('\u001b');
  });

  test('exits with 1 if nothing is found, and suggests another query', async () => {
    stub.found = { didYouMean: 'crawler\u001b' };
    const { code, out } = await runLine(['search', 'crawlr']);
    expect(code).toBe(1);
    expect(out).toBe('0 pages found in 0.01 s\nDid you mean: crawler\\u001b\n');
  });

  test('a page after the last one prints the number of hits', async () => {
    stub.found = { total: 20, page: 5, pages: 2 };
    const { code, out } = await runLine(['search', 'crawler', '--page', '5']);
    expect(code).toBe(1);
    expect(out).toBe('20 pages found in 0.01 s, page 5 has none; there are 2\n');
  });

  test('with --json prints one object', async () => {
    stub.found = { total: 1, pages: 1, hits: [HIT] };
    const { out, err } = await runLine(['search', 'crawler', '--json']);
    expect(JSON.parse(out)).toMatchObject({ total: 1, hits: [{ url: HIT.url, title: HIT.title }] });
    expect(err).toBe('');
    expect(out).not.toContain('\u0007');
  });

  test.each([[['search']], [['search', 'x', '--page', '0']], [['search', 'x', '--limit', 'many']]])(
    '%j is refused',
    async (args) => {
      expect((await runLine(args)).code).toBe(64);
    },
  );

  test('help has examples', async () => {
    const { out } = await runLine(['search', '--help']);
    expect(out).toContain('webcrawl search crawler engine');
    expect(out).toContain('site:example.com');
  });
});
