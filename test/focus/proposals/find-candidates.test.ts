import { expect, test } from 'vitest';
import type { Candidate, CreateFinder } from '../../../packages/focus/candidates/candidate.js';
import { jobs, rules } from '../../../packages/webcrawl/internal.js';
import { testCrawl } from '../../support/test-crawl.js';
import { fakeWeb, links } from '../../support/web/fake-web.js';

const HOSTS = ['http://example.com', 'http://www.example.com'];

/** A site that is the same with and without www, completely known. */
async function crawledTwins() {
  const paths = Array.from({ length: 40 }, (_, i) => `/tag/${i}`);
  const html = (i: number): string => links(...HOSTS.map((host) => host + paths[(i + 1) % paths.length]!), `?${i}`);
  const pages = Object.fromEntries(HOSTS.flatMap((host) => paths.map((path, i) => [host + path, html(i)])));
  for (const host of HOSTS) pages[`${host}/`] = links(paths[0]!);
  const crawl = await testCrawl(fakeWeb(pages));
  await jobs.crawl(crawl, { seeds: HOSTS.map((host) => `${host}/`), stay: 'domain' });
  return crawl;
}

test('if two finders find the same rule, the first one counts', async () => {
  await using crawl = await crawledTwins();
  const offering = (reason: Candidate['reason']): CreateFinder => {
    const rule = {
      kind: 'reject',
      origin: 'generated',
      scope: 'host:example.com',
      pattern: { prefix: '/tag/' },
    } as const;
    const candidate: Candidate = { rule, reason, evidence: {}, rows: 40, isOfCopies: true };
    return () => ({ add: () => undefined, find: () => [candidate] });
  };
  const reasons = ['facet', 'calendar', 'session'] as const;
  const { proposals, counters } = await rules.propose(crawl, { finders: reasons.map(offering) });
  expect(proposals.map(({ reason }) => reason)).toEqual(['facet']);
  expect(counters).toMatchObject({ candidates: 3, dropped_idle: 2 });
});

test('if a generated www rule of a domain was disabled, the opposite rule is not found either', async () => {
  await using crawl = await crawledTwins();
  const { proposals } = await rules.propose(crawl);
  const [www] = proposals.flatMap(({ rule }) => (rule.kind === 'www' ? [rule] : []));
  expect(www).toMatchObject({ scope: 'domain:example.com' });
  const to = www!.to === 'with' ? 'without' : 'with';
  await rules.add(crawl, { ...www!, to, origin: 'generated', state: 'disabled' });
  const again = await rules.propose(crawl);
  expect(again.proposals.filter(({ rule }) => rule.kind === 'www')).toEqual([]);
  expect(again.counters).toMatchObject({ known: 1 });
  // A rule made by hand does not prevent a generated one.
  await rules.remove(crawl, 'r1', { forget: true });
  await rules.add(crawl, { ...www!, to, origin: 'hand', state: 'disabled' });
  expect((await rules.propose(crawl)).proposals.filter(({ rule }) => rule.kind === 'www')).toHaveLength(1);
});
