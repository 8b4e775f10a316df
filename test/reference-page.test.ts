import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { referenceMarkdown, withAuditRules } from '../scripts/reference.mjs';
import { auditRules } from '../packages/audit/index.js';
import {
  COUNTERS,
  INTERNAL_FIELDS,
  PARSE_CODES,
  PROTOCOL_CODES,
  jobs,
  type OpenContext,
  type Report,
} from '../packages/webcrawl/internal.js';
import { fakeWeb, randomWeb } from './support/web/fake-web.js';
import { ROOT, sourcePaths } from './support/docs/source-files.js';
import { START, testCrawl } from './support/test-crawl.js';

const TABLES = { PROTOCOL_CODES, PARSE_CODES, COUNTERS, INTERNAL_FIELDS };
const sources = sourcePaths()
  .filter((path) => !/\/(counters|outcome-codes)\.ts$/.test(path))
  .map((path) => readFileSync(join(ROOT, path), 'utf8'));
const isInSource = (name: string): boolean => sources.some((text) => new RegExp(`['\`.]${name}`).test(text));

test('docs/REFERENCE.md is up to date (npm run docs writes it)', () => {
  expect(readFileSync(join(ROOT, 'docs/REFERENCE.md'), 'utf8')).toBe(referenceMarkdown(TABLES, ROOT));
});

test('docs/AUDIT.md has the rules of the audit (npm run docs writes them)', () => {
  const text = readFileSync(join(ROOT, 'docs/AUDIT.md'), 'utf8');
  expect(text).toBe(withAuditRules(text, auditRules()));
  for (const { id } of auditRules()) expect(text).toContain(`| \`${id}\` `);
  expect(() => withAuditRules('no marks', [])).toThrow('docs/AUDIT.md: expected <!--');
});

test('a code without a meaning is reported with its position', () => {
  const { not_found: _, robots_denied: __, ...fewer } = PROTOCOL_CODES;
  const write = () => referenceMarkdown({ ...TABLES, PROTOCOL_CODES: fewer }, ROOT);
  expect(write).toThrow(/packages\/fetch\/http\/http-status\.ts:\d+: code `not_found` is not in .*outcome-codes\.ts/);
  expect(write).toThrow(/packages\/jobs\/requests\/request-page\.ts:\d+: code `robots_denied`/);
});

describe('no table has an entry that the source does not use', () => {
  test.each([...Object.keys(PROTOCOL_CODES), ...Object.keys(PARSE_CODES)])('code %s', (code) => {
    expect(isInSource(code)).toBe(true);
  });

  test.each(Object.entries(COUNTERS).flatMap(([job, counters]) => Object.keys(counters).map((name) => [job, name])))(
    '%s counts %s',
    (_, name = '') => {
      // The name has a variable part for links that are left out.
      expect(isInSource(name.replace(/<.*/, '').replace(/_(external|excluded)$/, '_\\$\\{out\\}'))).toBe(true);
    },
  );
});

test('every meaning fits into one line of a table', () => {
  for (const meanings of [PROTOCOL_CODES, PARSE_CODES, ...Object.values(COUNTERS)]) {
    for (const [name, meaning] of Object.entries(meanings)) expect(meaning, name).toMatch(/^\S[^\n|]{5,130}[^.\s]$/);
  }
});

/** The counters that a job may have, as patterns. */
function countersOf(job: string): RegExp[] {
  const own = (name: keyof typeof COUNTERS): string[] => Object.keys(COUNTERS[name]);
  const outcomes = [...own('fetch'), ...own('parse'), ...Object.keys(PROTOCOL_CODES)];
  const names =
    {
      fetch: outcomes,
      crawl: [...own('crawl'), ...own('inject'), ...outcomes, 'added', 'not_added', 'sooner'],
    }[job] ?? own(job as keyof typeof COUNTERS);
  return names.map((name) => new RegExp(`^${name.replace(/<\w+>/, '.+')}$`));
}

function checkCounters({ job, counters }: Report): void {
  const known = countersOf(job);
  expect(Object.keys(counters).filter((name) => !known.some((pattern) => pattern.test(name)))).toEqual([]);
}

test('every counter that a job reports is described for that job', async () => {
  const { pages, seeds } = randomWeb(4, 60, 3);
  await using crawl: OpenContext & { setTime(ms: number): void } = await testCrawl(fakeWeb(pages));
  for (const report of [
    await jobs.crawl(crawl, { seeds: [...seeds, 'x', 'http://x.com/a.png'], stay: 'any', rounds: 2 }),
    await jobs.inject(crawl, { seeds: [...seeds, 'http://new.com/'] }),
  ])
    checkCounters(report);
  crawl.setTime(START + 100 * 86_400_000);
  const generated = await jobs.generate(crawl, { topN: 20 });
  const batch = generated.batchId!;
  for (const report of [
    generated,
    await jobs.fetch(crawl, { batch }),
    await jobs.parse(crawl, { batch: 'all' }),
    await jobs.updatedb(crawl, { batch }),
    await jobs.updatedb(crawl, { batch }),
    await jobs.remove(crawl, { domain: 'example.com' }),
    await jobs.repair(crawl),
  ]) {
    checkCounters(report);
  }
});
