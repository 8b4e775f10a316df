import { join } from 'node:path';
import { expect, it } from 'vitest';
import { jobs, openContext, rules, type OpenContext, type OpenCrawlOptions } from '../../packages/webcrawl/internal.js';
import { testFolder } from '../support/files/temp-folder.js';

/** Two contexts of one table: the first has it open, and the second uses it through the first. */
async function openBoth(settings: OpenCrawlOptions['settings']): Promise<[owner: OpenContext, other: OpenContext]> {
  const table = `level:${join(testFolder(), 'table')}`;
  const owner = await openContext({ table, name: 'owner', settings: { 'parser.threads': 0 } });
  const other = await openContext({ table, settings: { 'parser.threads': 0, ...settings } });
  expect(other.owner?.name).toBe('owner');
  return [owner, other];
}

it('inject through another process decides by its own settings', async () => {
  const [owner, other] = await openBoth({
    'db.injectorUpdate': true,
    'db.scoreInjected': 7,
    'db.fetchIntervalDefault': 5000,
    'urlfilter.trapMaxDepth': 1,
  });
  await using _owner = owner;
  await using _other = other;
  await jobs.inject(owner, { seeds: ['http://a.example/\tscore=2\tteam=docs'] });
  const { counters } = await jobs.inject(other, {
    seeds: [
      'http://a.example/\tscore=3\tlang=en',
      'http://a.example/new',
      'http://a.example/new',
      'http://a.example/too/deep',
    ],
  });
  expect(counters).toEqual({ updated: 1, injected: 1, known: 1, 'rejected_urlfilter-traps': 1 });
  const fields = ['score', 'metadata', 'fetchInterval'] as const;
  expect(await owner.page('http://a.example/', fields)).toMatchObject({
    score: 3,
    metadata: { team: 'docs', lang: 'en' },
  });
  expect(await owner.page('http://a.example/new', fields)).toMatchObject({ score: 7, fetchInterval: 5000 });
  expect(owner.outsideChanges()).toBeGreaterThan(0);
});

it('rules are added and applied through another process, with its own scores', async () => {
  const [owner, other] = await openBoth({ 'scoring.relevant.score': 50 });
  await using _owner = owner;
  await using _other = other;
  await jobs.inject(owner, { seeds: ['http://www.a.example/2026/x', 'http://www.a.example/y'] });
  await rules.add(other, [
    { kind: 'relevant', pattern: { prefix: '/2026/' } },
    { kind: 'www', scope: 'domain:a.example', to: 'without' },
  ]);
  expect((await rules.list(owner)).rules).toHaveLength(2);
  const { counters } = await rules.apply(other);
  expect(counters).toEqual({ rows: 2, marked: 1, rescored: 1, moved: 2 });
  const page = await owner.page('http://a.example/2026/x', ['relevant', 'score']);
  expect(page).toMatchObject({ relevant: true, score: 51 });
  await rules.remove(other, ['r1', 'r2']);
  expect((await rules.list(owner)).rules).toEqual([]);
});
