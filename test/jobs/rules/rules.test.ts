import { describe, expect, test } from 'vitest';
import {
  MemoryStore,
  explain,
  jobs,
  rules,
  rulesNow,
  type OpenContext,
  type Store,
} from '../../../packages/webcrawl/internal.js';
import { copyStore } from '../../support/stores/copy-store.js';
import { FailingStore, PlannedFailure } from '../../support/stores/failing-store.js';
import { fakeWeb, links } from '../../support/web/fake-web.js';
import { allRows, testCrawl } from '../../support/test-crawl.js';
import { round, rowOf, select, selectedUrls, start } from '../../support/job-steps.js';

const A = 'http://a.example';
const tag = { kind: 'reject', scope: 'host:a.example', pattern: { prefix: '/tag/' } } as const;
const article = { kind: 'relevant', pattern: { regex: '/\\d{4}/' } } as const;

const site = () =>
  fakeWeb({
    [`${A}/`]: links('/tag/1', '/tag/2', '/2020/x', '/about'),
    [`${A}/tag/1`]: links('/tag/3', '/2021/y'),
    [`${A}/tag/2`]: 'two',
    [`${A}/2020/x`]: links('/tag/1', '/tag/9'),
    [`${A}/2021/y`]: 'y',
    [`${A}/about`]: links('/tag/1'),
  });

/** The present counts of each rule. */
async function countsOf(crawl: OpenContext) {
  await rules.count(crawl);
  return Object.fromEntries((await rules.list(crawl)).rules.map(({ id, counts }) => [id, counts]));
}

describe('rules', () => {
  test('a table without an active rule has the same list of plugins as it was opened with', async () => {
    await using crawl = await testCrawl(site());
    const pluginsNow = async () => (await rulesNow(crawl)).plugins;
    expect(await pluginsNow()).toBe(crawl.plugins);
    await rules.add(crawl, { ...tag, state: 'disabled' });
    expect(await pluginsNow()).toBe(crawl.plugins);
    await rules.enable(crawl, 'r1');
    const active = await pluginsNow();
    expect(active.map(({ name }) => name)).toEqual([...crawl.plugins.map(({ name }) => name), 'rules']);
    expect(await pluginsNow()).toBe(active);
    await rules.remove(crawl, 'r1');
    expect(await pluginsNow()).toBe(crawl.plugins);
  });

  test('reject links of pages and waiting pages, and let them in again, with exact counts and messages', async () => {
    await using crawl = await testCrawl(site());
    await start(crawl, `${A}/`);
    await jobs.fetch(crawl, { batch: 'all', parse: true });
    await jobs.updatedb(crawl, { batch: 'all' });
    const { added } = await rules.add(crawl, { ...tag, scope: 'domain:a.example', note: 'the same again' });
    expect(added.map(({ id }) => id)).toEqual(['r1']);

    const { fetched } = await round(crawl);
    expect(fetched.counters).toMatchObject({ fetched: 2, links_rejected_rules: 3 });
    expect(await countsOf(crawl)).toMatchObject({ r1: { refused: 2, relevant: 0, links: 3 } });
    expect((await rowOf(crawl, `${A}/2020/x`, 'rejectedLinks')).rejectedLinks).toEqual({ r1: 2 });

    const { next, rules: named } = await explain(crawl, `${A}/tag/1`);
    expect(named?.decides?.id).toBe('r1');
    expect(next).toMatchObject({ kind: 'blocked' });
    expect(next.text).toMatch(/rejected by rule r1 \(reject \/tag\/ on domain a\.example, by hand 20\d\d-\d\d-\d\d\)/);
    expect((await explain(crawl, `${A}/tag/5`)).next.text).toContain('rule r1 (reject /tag/');
    expect((await jobs.inject(crawl, { seeds: [`${A}/tag/7`] })).counters).toMatchObject({ rejected_rules: 1 });

    // A rule that does not match these rows does not cause them to be checked again.
    await rules.add(crawl, { kind: 'reject', scope: 'host:a.example', pattern: { prefix: '/other/' } });
    expect((await jobs.generate(crawl)).counters).toEqual({});

    // A rule that precedes it causes them to be checked again.
    await rules.add(crawl, { kind: 'accept', scope: 'host:a.example', pattern: { prefix: '/tag/77' } });
    expect((await jobs.generate(crawl)).counters).toMatchObject({ rejected_rules: 2 });
    await rules.disable(crawl, 'r1');
    expect((await jobs.generate(crawl)).counters).toMatchObject({ generated: 2 });
    expect(await selectedUrls(crawl)).toEqual([`${A}/tag/1`, `${A}/tag/2`]);
    expect((await countsOf(crawl))['r1']).toMatchObject({ refused: 0, relevant: 0, links: 3 });
  });

  test('rows that a rule refuses are checked again once an exemption with the same scope is added, and once it is disabled', async () => {
    await using crawl = await testCrawl(site());
    await rules.add(crawl, [
      { kind: 'relevant', pattern: { prefix: '/a' } },
      { ...tag, state: 'disabled' },
    ]);
    await start(crawl, `${A}/`);
    await jobs.fetch(crawl, { batch: 'all', parse: true });
    await jobs.updatedb(crawl, { batch: 'all' });
    await rules.enable(crawl, 'r2');
    expect((await jobs.generate(crawl, { topN: 1 })).counters).toMatchObject({ generated: 1 });
    expect((await jobs.generate(crawl)).counters).toMatchObject({ rejected_rules: 2 });
    await rules.add(crawl, { kind: 'accept', scope: 'host:a.example', pattern: { prefix: '/tag/1' } });
    // Both are checked again, and one of them is let in.
    expect((await jobs.generate(crawl)).counters).toMatchObject({ generated: 1, rejected_rules: 1 });
    expect((await countsOf(crawl))['r2']).toMatchObject({ refused: 1 });
    await jobs.updatedb(crawl, { batch: 'all' });
    await rules.disable(crawl, 'r3');
    expect((await jobs.generate(crawl)).counters).toMatchObject({ rejected_rules: 2 });
  });

  test('a page of an open batch that a newer rule rejects is not requested, and is released as it was', async () => {
    const web = site();
    await using crawl = await testCrawl(web);
    await round(Object.assign(crawl, { started: await jobs.inject(crawl, { seeds: [`${A}/`] }) }));
    const batch = await select(crawl);
    await rules.add(crawl, tag);
    expect((await explain(crawl, `${A}/tag/1`)).next.text).toContain('fetch does not request it');
    const { counters } = await jobs.fetch(crawl, { batch, parse: true });
    expect(counters).toMatchObject({ rejected_rules: 2, fetched: 2 });
    expect(web.requests.filter((url) => url.includes('/tag/'))).toEqual([]);
    await jobs.updatedb(crawl, { batch });
    expect(await rowOf(crawl, `${A}/tag/1`, 'status', 'marks', 'retries')).toEqual({
      status: 'unfetched',
      retries: 0,
    });
    // The rule is removed while a batch is open that was selected with it.
    await jobs.inject(crawl, { seeds: [`${A}/late`] });
    const last = await select(crawl);
    await rules.remove(crawl, 'r1');
    await jobs.fetch(crawl, { batch: last, parse: true });
    await jobs.updatedb(crawl, { batch: last });
    await select(crawl);
    expect(await selectedUrls(crawl)).toContain(`${A}/tag/2`);
  });

  test('a running crawl uses rules that are added, disabled and removed from the next page on', async () => {
    const pages: Record<string, string> = { [`${A}/`]: links('/p0') };
    for (let i = 0; i < 30; i++) pages[`${A}/p${i}`] = links(`/p${i + 1}`, `/tag/${i}`, `/keep/${i}`);
    const web = fakeWeb(pages);
    const store = new MemoryStore();
    await using crawl = await testCrawl(web, { store, settings: { 'fetcher.threadsFetch': 1, 'parser.threads': 0 } });
    web.onRequest = async (url) => {
      if (url === `${A}/p5`) await rules.add(crawl, tag);
      if (url === `${A}/p10`) await rules.disable(crawl, 'r1');
      if (url === `${A}/p15`) await rules.enable(crawl, 'r1');
      if (url === `${A}/p20`) await rules.remove(crawl, 'r1');
    };
    const { counters } = await jobs.crawl(crawl, { seeds: [`${A}/`] });
    expect(counters['links_rejected_rules']).toBeGreaterThan(0);
    // In the end no rule is left, so all is fetched.
    for (let i = 21; i < 30; i++) expect(web.requests).toContain(`${A}/tag/${i}`);
    for (let i = 6; i < 9; i++) expect(web.requests).not.toContain(`${A}/tag/${i}`);
    expect((await rules.list(crawl)).rules).toEqual([]);
  });

  test('relevant pages come first, are marked as their rows are written, and get a bonus that is no cash', async () => {
    await using crawl = await testCrawl(site(), {
      settings: { 'scoring.relevant.score': 5, 'scoring.relevant.other': -1 },
    });
    await rules.add(crawl, article);
    await start(crawl, `${A}/`, `${A}/2000/seed`);
    expect(await rowOf(crawl, `${A}/2000/seed`, 'relevant', 'relevantBonus', 'score', 'cash')).toEqual({
      relevant: true,
      relevantBonus: 5,
      score: 6,
      cash: 1,
    });
    expect(await rowOf(crawl, `${A}/`, 'relevant', 'relevantBonus', 'score', 'cash')).toEqual({
      relevant: false,
      relevantBonus: -1,
      score: 0,
      cash: 1,
    });
    await jobs.fetch(crawl, { batch: 'all', parse: true });
    await jobs.updatedb(crawl, { batch: 'all' });
    expect(await rowOf(crawl, `${A}/2020/x`, 'relevant', 'score')).toEqual({ relevant: true, score: 5.25 });
    const batch = await select(crawl, 1);
    expect(await selectedUrls(crawl, batch)).toEqual([`${A}/2020/x`]);
    expect(await countsOf(crawl)).toMatchObject({ r1: { refused: 0, relevant: 2, links: 0 } });
    expect((await explain(crawl, `${A}/2020/x`)).rules?.relevant?.id).toBe('r1');
  });

  test('counts are those of the time when the rows were counted', async () => {
    await using crawl = await testCrawl(site());
    await rules.add(crawl, [tag, article]);
    await start(crawl, `${A}/`);
    await jobs.fetch(crawl, { batch: 'all', parse: true });
    await jobs.updatedb(crawl, { batch: 'all' });
    const listed = async () => (await rules.list(crawl)).rules.map(({ counts }) => counts);
    expect(await listed()).toEqual([undefined, undefined]);
    const at = crawl.clock();
    await rules.count(crawl);
    const counted = [
      { at, refused: 0, relevant: 0, links: 2 },
      { at, refused: 0, relevant: 1, links: 0 },
    ];
    expect(await listed()).toEqual(counted);
    await jobs.remove(crawl, { prefix: `${A}/` });
    expect(await listed()).toEqual(counted);
    const stop = AbortSignal.abort(new Error('stop'));
    await expect(rules.count(crawl, { signal: stop })).rejects.toThrow('stop');
  });

  test('apply gives existing rows the state that new rows get, and reverts it, also after a kill between any two writes', async () => {
    const before = new MemoryStore();
    {
      const crawl = await testCrawl(site(), { store: before });
      await jobs.inject(crawl, { seeds: [`${A}/`] });
      await round(crawl);
      await jobs.inject(crawl, { seeds: ['http://www.b.example/2020/old'] });
      await select(crawl, 1);
      await rules.add(crawl, [article, { kind: 'www', scope: 'domain:b.example', to: 'without' }, tag]);
    }
    const apply = async (store: Store) => {
      const crawl = await testCrawl(site(), { store });
      return { crawl, report: await rules.apply(crawl) };
    };
    const counting = new FailingStore(await copyStore(before));
    const { crawl, report } = await apply(counting);
    expect(report.counters).toMatchObject({ marked: 2, rescored: 2, moved: 1 });
    expect(await rowOf(crawl, 'http://b.example/2020/old', 'status', 'relevant', 'marks', 'distance')).toEqual({
      status: 'unfetched',
      relevant: true,
      marks: { inject: 'y' },
      distance: 0,
    });
    expect((await rules.apply(crawl)).counters).toEqual({ rows: report.counters['rows']! + 1 });
    const rows = await allRows(crawl);
    expect(counting.writes).toBeGreaterThan(10);
    for (let failAt = 1; failAt <= counting.writes; failAt++) {
      const store = await copyStore(before);
      const failed = await apply(new FailingStore(store, failAt)).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (failed !== undefined) expect(failed).toBeInstanceOf(PlannedFailure);
      const again = await apply(store);
      expect(await allRows(again.crawl), `write ${failAt}`).toEqual(rows);
    }
    await rules.remove(crawl, ['r1', 'r2', 'r3']);
    await rules.apply(crawl);
    for (const row of await allRows(crawl)) expect(row).not.toHaveProperty('relevant');
    expect(await rowOf(crawl, `${A}/2020/x`, 'score', 'relevantBonus')).toEqual({ score: 0.25 });
  });

  test('links that were parsed before a rule that rejects them add no row, which is counted', async () => {
    await using crawl = await testCrawl(site());
    const batch = await start(crawl, `${A}/`, `${A}/tag/2`);
    await jobs.fetch(crawl, { batch, parse: true });
    await rules.add(crawl, tag, { yes: true });
    const { counters } = await jobs.updatedb(crawl, { batch });
    // The row of /tag/2 exists, so it gets the link.
    expect(counters).toMatchObject({ not_added_rules: 1, added: 2, linked: 1 });
    expect((await allRows(crawl)).map(({ url }) => url)).not.toContain(`${A}/tag/1`);
    expect((await rowOf(crawl, `${A}/tag/2`, 'inlinks')).inlinks).toHaveLength(1);
  });

  test('a www rule rewrites links to one form, also those that were parsed before, and old rows are not fetched', async () => {
    const web = fakeWeb({
      [`${A}/`]: links('http://www.b.example/x', 'http://b.example/x'),
      'http://b.example/x': 'x',
    });
    await using crawl = await testCrawl(web);
    const batch = await start(crawl, `${A}/`, 'http://www.b.example/y');
    await jobs.fetch(crawl, { batch, parse: true });
    await rules.add(crawl, { kind: 'www', scope: 'domain:b.example', to: 'without' });
    await jobs.updatedb(crawl, { batch });
    const urls = (await allRows(crawl)).map(({ url }) => url);
    expect(urls).toContain('http://b.example/x');
    expect(urls).not.toContain('http://www.b.example/x');
    expect((await explain(crawl, 'http://www.b.example/z')).rules?.rewrites?.id).toBe('r1');
  });

  test('dangerous rules need a confirmation, and are not added without it', async () => {
    await using crawl = await testCrawl(site());
    const all = { kind: 'reject', pattern: { regex: '.' } } as const;
    await expect(rules.add(crawl, all)).rejects.toMatchObject({ code: 'RULE_DANGER' });
    await jobs.inject(crawl, { seeds: [`${A}/`, `${A}/2020/x`, 'http://c.example/'] });
    await expect(rules.add(crawl, { ...tag, pattern: { prefix: '/2020/' } })).rejects.toThrow(`${A}/2020/x`);
    expect(await rules.test(crawl, { ...tag, pattern: { prefix: '/' } })).toMatchObject({
      rows: 2,
      rejected: 2,
      seeds: 2,
      rejectsAll: false,
    });
    expect((await rules.list(crawl)).rules).toEqual([]);
    await rules.add(crawl, all, { yes: true });
    await rules.disable(crawl, 'r1');
    await expect(rules.enable(crawl, 'r1')).rejects.toMatchObject({ code: 'RULE_DANGER' });
    // An exemption that the seeds need.
    await rules.add(crawl, { kind: 'accept', pattern: { regex: '^http://a' } });
    await rules.enable(crawl, 'r1', { yes: true });
    for (const drop of [rules.disable, rules.remove]) {
      await expect(drop(crawl, 'r2')).rejects.toThrow(/the rules without accept .* would reject every page/);
    }
    expect((await rules.list(crawl)).rules.map(({ id, state }) => [id, state])).toEqual([
      ['r2', 'active'],
      ['r1', 'active'],
    ]);
    await rules.disable(crawl, ['r1', 'r2']);
    await rules.enable(crawl, 'r1', { yes: true });
    await rules.enable(crawl, 'r2');
    await rules.disable(crawl, 'r2', { yes: true });
    await expect(rules.disable(crawl, 'r7')).rejects.toMatchObject({ code: 'UNKNOWN_RULE' });
  });

  test('pages that were never in a batch are counted like all others', async () => {
    await using crawl = await testCrawl(site());
    const batch = await start(crawl, `${A}/`);
    await jobs.fetch(crawl, { batch, parse: true });
    await jobs.updatedb(crawl, { batch });
    const all = (await allRows(crawl)).length;
    expect(all).toBeGreaterThan(2);
    const everything = { kind: 'reject', scope: 'host:a.example', pattern: { prefix: '/' } } as const;
    expect(await rules.test(crawl, everything)).toMatchObject({ rows: all, rejected: all, rejectsAll: true });
  });

  test('a www rule is dangerous if other rules reject the URLs that it produces', async () => {
    await using crawl = await testCrawl(site());
    await jobs.inject(crawl, { seeds: ['http://www.b.example/', 'http://c.example/'] });
    const without = { kind: 'www', scope: 'domain:b.example', to: 'without' } as const;
    await rules.add(crawl, { kind: 'reject', scope: 'host:b.example', pattern: { prefix: '/' } });
    await expect(rules.add(crawl, without)).rejects.toMatchObject({ code: 'RULE_DANGER' });
    expect((await rules.list(crawl)).rules).toHaveLength(1);
    // A rule that a seed needs.
    await rules.remove(crawl, 'r1');
    await rules.add(crawl, without);
    await rules.add(crawl, { kind: 'reject', scope: 'host:www.b.example', pattern: { prefix: '/' } });
    await expect(rules.disable(crawl, 'r2')).rejects.toMatchObject({ code: 'RULE_DANGER' });
  });

  test('an import with a bad line adds nothing; contradictions are reported; a removed generated rule never comes back', async () => {
    await using crawl = await testCrawl(site());
    const lines = [JSON.stringify(tag), '', '{"kind":"reject","pattern":{"regex":"("}}', 'x'];
    await expect(rules.import(crawl, lines)).rejects.toThrow(/^line 3: .*Unterminated group\) at character 1/);
    await expect(rules.import(crawl, ['{}', 'x'])).rejects.toThrow(/^line 1: /);
    expect((await rules.list(crawl)).rules).toEqual([]);
    await rules.import(crawl, [JSON.stringify({ ...tag, origin: 'generated', evidence: { urls: 7 } })]);
    // A rule that is only tested has no id.
    const { contradictions: tested } = await rules.test(crawl, { ...tag, kind: 'accept' });
    expect(tested).toEqual([{ idle: 'r1' }]);
    const { added, contradictions } = await rules.add(crawl, { ...tag, kind: 'accept' });
    expect(contradictions).toEqual([{ decides: added[0]!.id, idle: 'r1' }]);
    expect(await rules.remove(crawl, 'r1')).toMatchObject({ removed: [], disabled: [{ id: 'r1' }] });
    expect(await rules.add(crawl, { ...tag, origin: 'generated' })).toMatchObject({ added: [], known: [{ id: 'r1' }] });
    const exported: string[] = [];
    for await (const line of rules.export(crawl)) exported.push(line);
    await using other = await testCrawl(site());
    await rules.import(other, exported);
    expect((await rules.list(other)).rules).toMatchObject([
      { kind: 'accept' },
      { state: 'disabled', evidence: { urls: 7 } },
    ]);
    expect(await rules.remove(crawl, 'r1', { forget: true })).toMatchObject({ removed: [{ id: 'r1' }] });
  });
});
