import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { jobs, openContext, rowKeyOf, type PageChange } from '../../packages/webcrawl/internal.js';
import { runLine } from './test-io.js';
import { freshFolder } from '../support/files/temp-folder.js';

const folder = freshFolder();

beforeEach(async () => {
  await using crawl = await openContext({ table: join(folder, 'table') });
  await jobs.inject(crawl, { seeds: ['http://a.example/', 'http://a.example/tag/1'] });
});

const webcrawl = (...args: readonly string[]) => runLine(['--table', join(folder, 'table'), ...args]);

describe('webcrawl rules', () => {
  test('adds, lists, shows, tests, disables, enables and removes', async () => {
    expect(await webcrawl('rules')).toMatchObject({ code: 0, out: expect.stringContaining('No rules.') as string });
    const danger = await webcrawl('rules', 'add', 'reject', '/tag/', '--host', 'A.example');
    expect(danger).toMatchObject({ code: 65, out: '' });
    expect(danger.err).toContain('RULE_DANGER');
    expect(danger.err).toContain('http://a.example/tag/1');
    expect(danger.err).toContain('\nhint: if you want this, use --yes\n');
    expect(await webcrawl('rules', 'test', 'reject', '/tag/', '--host', 'a.example')).toMatchObject({ code: 1 });
    expect(await webcrawl('rules', 'add', 'reject', '/tag/', '--host', 'a.example', '--yes')).toEqual({
      code: 0,
      out: 'r1\n',
      err: '',
    });
    expect(await webcrawl('rules', 'add', 'reject', '/tag/', '--host', 'a.example')).toMatchObject({
      code: 1,
      out: '',
    });
    const long = await webcrawl('rules', 'add', 'relevant', `/${'x'.repeat(300)}`);
    expect(long.out).toBe('r2\n');
    const { out } = await webcrawl('rules', 'list');
    for (const line of out.trimEnd().split('\n')) expect(line.length).toBeLessThanOrEqual(100);
    expect(out).toMatch(/r1 +reject +host:a\.example +active +\/tag\/\n/);
    expect(out).toContain('Not counted yet: `webcrawl rules list --counts`');
    expect((await webcrawl('rules', 'show', 'r1')).out).toMatch(/counted +not yet/);
    const counted = (await webcrawl('rules', 'list', '--counts')).out;
    expect(counted).toMatch(/r1 +reject +host:a\.example +0 +0 +0 +active +\/tag\/\n/);
    expect(counted).toMatch(/\nCounted as of 20\d\d-\d\d-\d\dT/);
    expect((await webcrawl('rules', 'show', 'r1')).out).toMatch(/counted as of +20\d\d-[^]*links rejected +0/);
    expect((await webcrawl('rules', 'disable', 'r1')).err).toContain('Disabled: r1 (reject /tag/ on host a.example)');
    expect(await webcrawl('rules', 'enable', 'r1')).toMatchObject({ code: 65 });
    expect(await webcrawl('rules', 'enable', 'r1', '--yes')).toMatchObject({ code: 0 });
    expect((await webcrawl('rules', 'show', 'r1')).out).toContain('reject /tag/ on host a.example');
    expect(await webcrawl('rules', 'show', 'r9')).toMatchObject({ code: 67 });
    expect((await webcrawl('explain', 'http://a.example/tag/1')).out).toContain('rejected by rule r1 (reject /tag/');
    const checked = await webcrawl('check', 'url', 'http://a.example/tag/5');
    expect(checked.code).toBe(1);
    expect(checked.out).toContain('by rule r1 (reject /tag/ on host a.example, by hand');
    expect((await webcrawl('rules', 'apply')).err).toContain('rows');
    expect(await webcrawl('rules', 'remove', 'r1')).toMatchObject({ code: 0 });
    expect((await webcrawl('rules', 'add', 'relevant', '/a')).out).toBe('r3\n');
  });

  test('add and import make a missing table, so that rules are there before the first crawl', async () => {
    const file = join(folder, 'rules.jsonl');
    await writeFile(file, '{"kind":"relevant","pattern":{"prefix":"/b/"}}\n');
    expect((await runLine(['--table', join(folder, 'new'), 'rules', 'add', 'relevant', '/a/'])).out).toBe('r1\n');
    expect((await runLine(['--table', join(folder, 'new-too'), 'rules', 'import', file])).out).toBe('r1\n');
    expect((await runLine(['--table', join(folder, 'none'), 'rules', 'list'])).err).toContain('NO_TABLE');
  });

  test('says what known pages still need, and asks before it removes an exemption', async () => {
    const www = await webcrawl('rules', 'add', 'www', 'without', '--domain', 'a.example');
    expect(www).toMatchObject({ code: 0, out: 'r1\n' });
    expect(www.err).toContain('`webcrawl rules apply` moves them');
    expect((await webcrawl('rules', 'add', 'relevant', '/a')).err).toContain('`webcrawl rules apply` marks');
    expect(await webcrawl('rules', 'add', 'www', 'with', '--domain', 'b.example', '-q')).toMatchObject({ err: '' });
    await webcrawl('rules', 'add', 'accept', '/tag/');
    await webcrawl('rules', 'add', 'reject', '/tag/');
    for (const verb of ['disable', 'remove']) {
      const refused = await webcrawl('rules', verb, 'r4');
      expect(refused).toMatchObject({ code: 65, out: '' });
      expect(refused.err).toContain('RULE_DANGER');
      expect(await webcrawl('rules', verb, 'r4', '--yes')).toMatchObject({ code: 0 });
      if (verb === 'disable') await webcrawl('rules', 'enable', 'r4');
    }
  });

  test('reports the rejects and relevant pages of each rule in the width of the terminal, with untrusted text escaped', async () => {
    const none = await webcrawl('rules', 'report');
    expect(none).toEqual({
      code: 0,
      out: '2 pages known, 0 fetched. No rule tells which pages are relevant: `webcrawl rules add relevant` makes one.\n',
      err: '',
    });
    await webcrawl('rules', 'add', 'relevant', '/tag/', '--host', 'a.example');
    await webcrawl('rules', 'add', 'reject', `/${'\u202ex'.repeat(200)}`);
    await webcrawl('rules', 'add', 'reject', '^http://a', '--regex', '--yes');
    const stale = await webcrawl('rules', 'report');
    expect(stale.err).toContain('Marked by earlier rules: 2 pages. `webcrawl rules apply`');
    await webcrawl('rules', 'apply');
    const { out, err, code } = await webcrawl('rules', 'report');
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('1 relevant page known: 0 not fetched yet, 1 rejected by a rule.');
    expect(out).toMatch(/^r1 +relevant +1 +1 +\/tag\/$/m);
    expect(out).toMatch(/^r3 +reject +2 +1 +0 +0 +regex \^http:\/\/a$/m);
    expect(out).toMatch(/^0 +0 +0 +1 +a\.example$/m);
    expect(out).not.toContain('\u202e');
    for (const line of out.trimEnd().split('\n')) expect(line.length).toBeLessThanOrEqual(100);
    const json = JSON.parse((await webcrawl('rules', 'report', '--json')).out) as { rules: { rule: { id: string } }[] };
    expect(json).toMatchObject({ stale: 0, all: { rows: 2, relevant: 1, relevantRejected: 1 } });
    expect(json.rules.map(({ rule }) => rule.id).sort()).toEqual(['r1', 'r2', 'r3']);
  });

  test.each([
    [['add', 'reject', 'a(b', '--regex'], 65, 'Unterminated group) at character 2'],
    [['add', 'reject', 'tag/'], 64, 'with --regex it is a regular expression'],
    [['add', 'www', 'without'], 65, 'a domain as the scope'],
    [
      ['add', 'reject', '/', '--host', 'a.example', '--domain', 'a.example'],
      64,
      '--host and --domain cannot be combined',
    ],
  ])('rules %j ends with %i: %s', async (args, code, words) => {
    const ended = await webcrawl('rules', ...args);
    expect([ended.code, ended.out]).toEqual([code, '']);
    expect(ended.err).toContain(words);
  });

  test('imports all or nothing, and can import its own export', async () => {
    const file = join(folder, 'rules.jsonl');
    await writeFile(
      file,
      '{"kind":"relevant","pattern":{"prefix":"/a/"}}\n{"kind":"relevant","pattern":{"regex":"["}}\n',
    );
    const refused = await webcrawl('rules', 'import', file);
    expect(refused.code).toBe(65);
    expect(refused.err).toContain('line 2: ');
    expect(await webcrawl('rules', 'export')).toEqual({ code: 0, out: '', err: '' });
    await writeFile(file, '{"kind":"relevant","pattern":{"prefix":"/a/"}}\r\n\n');
    expect((await webcrawl('rules', 'import', file)).out).toBe('r1\n');
    expect(JSON.parse((await webcrawl('rules', 'export')).out)).toMatchObject({ id: 'r1', pattern: { prefix: '/a/' } });
    expect(await webcrawl('rules', 'import', join(folder, 'none'))).toMatchObject({ code: 66 });
  });

  test('reaches the process that has the table open, with the same result', async () => {
    await using crawl = await openContext({ table: join(folder, 'table'), name: 'a crawl' });
    expect((await crawl.rules.current()).plugin).toBeUndefined();
    // `run` connects to the process that has the table open, by its socket.
    expect(await webcrawl('rules', 'add', 'reject', '/tag/', '--yes')).toEqual({ code: 0, out: 'r1\n', err: '' });
    await expect.poll(async () => (await crawl.rules.current()).plugin, { timeout: 60_000 }).toBeDefined();
    expect((await jobs.generate(crawl)).counters).toMatchObject({ generated: 1, rejected_rules: 1 });
    expect(await webcrawl('rules', 'remove', 'r1')).toMatchObject({ code: 0 });
    await expect.poll(async () => (await crawl.rules.current()).plugin, { timeout: 60_000 }).toBeUndefined();
  });

  test('proposes rules as a table in the width of the terminal, and adds the chosen ones', async () => {
    {
      await using crawl = await openContext({ table: join(folder, 'table') });
      const page = (path: string, links: readonly string[]): PageChange => ({
        key: rowKeyOf(`http://a.example${path}`),
        set: {
          status: 'fetched',
          parseStatus: { code: 'success' },
          dueAt: 0,
          outlinks: links.map((link) => ({ url: `http://a.example${link}`, anchor: '' })),
        },
      });
      await jobs.inject(crawl, { seeds: ['http://a.example/'] });
      const old = Array.from({ length: 60 }, (_, i) => `/old/${i}`);
      await crawl.tables.pages.write([
        page('/', ['/news/1', '/news/2', ...old]),
        page('/news/1', []),
        page('/news/2', []),
      ]);
      await crawl.tables.pages.write(old.map((path) => page(path, ['/'])));
      await jobs.repair(crawl);
    }
    const few = ['--set', 'propose.minRelevant=2'];
    // No rule of kind `relevant` exists, so the proposals are only shown.
    const unasked = await webcrawl('rules', 'propose', ...few);
    expect(unasked.out).toMatch(
      /calendar[^]*a\.example: rejects 94 % of 64 pages\.[^]*No rule says which pages are relevant/,
    );
    expect(await webcrawl('rules', 'propose', '--apply', ...few)).toMatchObject({
      code: 1,
      out: expect.stringContaining('Nothing to propose. No rule says') as string,
    });
    await webcrawl('rules', 'add', 'relevant', '/news/');
    const { code, out } = await webcrawl('rules', 'propose', '--domain', 'A.example', ...few);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^no\. +rejected +saved +why +of +rule\n1 +60 +0 +useless prefix +host:a\.example +reject \/old\/\n/,
    );
    expect(out).toContain('97 % of');
    for (const line of out.trimEnd().split('\n')) expect(line.length).toBeLessThanOrEqual(100);
    expect(await webcrawl('rules', 'propose', '--numbers', '1')).toMatchObject({ code: 64 });
    expect(await webcrawl('rules', 'propose', '--apply', '--numbers', '1')).toMatchObject({ code: 64 });
    const [, named = ''] = /--list (\w+) /.exec(out) ?? [];
    const apply = (number: string, list = named) =>
      webcrawl('rules', 'propose', '--apply', '--list', list, '--numbers', number, ...few);
    expect(await apply('2')).toMatchObject({ code: 67 });
    const other = await apply('1', 'abcdef01');
    expect(other.code).toBe(65);
    expect(other.err).toContain('another list of proposals');
    expect(await apply('1')).toMatchObject({ code: 0, out: 'r2\n' });
    const again = await apply('1');
    expect(again.code).toBe(65);
    expect(again.err).toContain('STALE_PROPOSAL');
    expect((await webcrawl('rules', 'show', 'r2')).out).toContain('generated');
    expect(await webcrawl('rules', 'propose', '--domain', 'a/b')).toMatchObject({ code: 65 });
  });
});
