import { describe, expect, test } from 'vitest';
import { parseMap, repositoryPath } from '../../../packages/audit/formats/repository-path.js';
import {
  AT,
  HOSTILE_FINDINGS,
  RULES,
  madeFinding,
  madeReport,
  madeSource,
  written,
} from '../../support/audit/made-report.js';

interface Log {
  readonly runs: readonly [
    {
      readonly tool: { driver: { rules: { id: string; name: string; help: { text: string } }[] } };
      readonly automationDetails: { id: string };
      readonly results: {
        ruleId: string;
        ruleIndex: number;
        level: string;
        message: { text: string };
        baselineState?: string;
        locations: { physicalLocation: { artifactLocation: { uri: string }; region: Record<string, number> } }[];
        partialFingerprints: { primaryLocationLineHash: string };
      }[];
      readonly invocations: { toolExecutionNotifications: { message: { text: string } }[] }[];
    },
  ];
}

async function sarif(report: ReturnType<typeof madeReport>, map: readonly string[] = []) {
  const { text, notes } = await written(report, { format: 'sarif', map });
  return { run: (JSON.parse(text) as Log).runs[0], notes };
}

test('a result for each finding, at the places with the link', async () => {
  const sources = { total: 7, shown: [madeSource({ url: 'https://example.com/docs/', line: 3 }), madeSource()] };
  const finding = madeFinding({ sources, since: AT, message: 'returns 404' });
  const { run } = await sarif(madeReport([finding]), ['https://example.com/=site/']);
  expect(run.results).toHaveLength(1);
  expect(run.results[0]).toMatchObject({
    ruleId: 'link-broken',
    ruleIndex: 0,
    level: 'error',
    message: {
      text: 'returns 404: https://example.com/lost. Since 2026-11-26. Sources (7): https://example.com/docs/, https://example.com/a.html and 5 more.',
    },
    partialFingerprints: { primaryLocationLineHash: 'f00d' },
  });
  expect(
    run.results[0]!.locations.map(({ physicalLocation: { artifactLocation, region } }) => [
      artifactLocation.uri,
      region,
    ]),
  ).toEqual([
    ['site/a.html', { startLine: 14, startColumn: 1, endLine: 14, endColumn: 1 }],
    ['site/docs/index.html', { startLine: 3, startColumn: 1, endLine: 3, endColumn: 1 }],
  ]);
  expect(run.tool.driver.rules.map(({ id, name }) => [id, name])[0]).toEqual(['link-broken', 'LinkBroken']);
});

test('a fault of the page itself is at the page, at its first line', async () => {
  const { run } = await sarif(madeReport([madeFinding({ rule: 'title-missing', sources: { total: 0, shown: [] } })]));
  expect(run.results[0]!.locations).toEqual([
    {
      physicalLocation: {
        artifactLocation: { uri: 'example.com/lost' },
        region: { startLine: 1, startColumn: 1, endLine: 1, endColumn: 1 },
      },
    },
  ]);
});

test('at most 5,000 results, the most severe ones; the log states how many are missing', async () => {
  const report = madeReport((i) => (i < 5012 ? madeFinding({ id: `f${i}` }) : undefined));
  const { run, notes } = await sarif(report);
  expect(run.results.map(({ partialFingerprints }) => partialFingerprints.primaryLocationLineHash).at(-1)).toBe(
    'f4999',
  );
  expect(run.results).toHaveLength(5000);
  expect(notes).toEqual(['GitHub keeps 5,000 results: 12 findings with less impact left out.']);
  expect(run.invocations[0]!.toolExecutionNotifications.map(({ message }) => message.text)).toEqual(notes);
});

test('uncertain findings do not become alerts', async () => {
  const unsure = [madeFinding(), madeFinding({ state: 'unverified' }), madeFinding({ state: 'inconclusive' })];
  const { run, notes } = await sarif(madeReport(unsure, { complete: false, because: ['31 pages are due'] }));
  expect(run.results).toHaveLength(1);
  expect(notes).toEqual(['Left out, because not verified or inconclusive: 2 findings.']);
  expect(run.invocations[0]!.toolExecutionNotifications.map(({ message }) => message.text)).toEqual([
    'Not complete: 31 pages are due.',
    ...notes,
  ]);
});

test.each([
  ['https://example.com/', 'webcrawl/example.com/'],
  ['example.com', 'webcrawl/example.com/'],
  ['localhost:8080', 'webcrawl/localhost:8080/'],
  ['', 'webcrawl/table/'],
])('the audits of a site are one category: %s', async (scope, category) => {
  expect((await sarif(madeReport([], { scope: [scope] }))).run.automationDetails.id).toBe(category);
});

test('new findings are marked if there is a mark', async () => {
  const findings = [madeFinding({ isNew: 'target' }), madeFinding({ id: 'f1' })];
  const states = async (since?: number) =>
    (await sarif(madeReport(findings, since === undefined ? {} : { since }))).run.results.map(
      ({ baselineState }) => baselineState,
    );
  expect(await states(AT)).toEqual(['new', 'unchanged']);
  expect(await states()).toEqual([undefined, undefined]);
});

test('no text is empty, or read as a link or as a placeholder', async () => {
  const rules = RULES.map((rule) => ({ ...rule, title: '', help: '' }));
  const { run } = await sarif(madeReport(HOSTILE_FINDINGS, { rules, scope: [] }));
  expect(JSON.stringify(run)).not.toContain('""');
  expect(run.results[0]!.message.text).toContain('[x] (javascript:alert(1)) {{0}}');
  expect(run.tool.driver.rules[0]!.help.text).toBe('link-broken');
});

describe('the file of a page', () => {
  const map = ['https://example.com/=site/', 'https://example.com/docs/=docs/src', 'http://127.0.0.1:8080/='].map(
    parseMap,
  );
  test.each([
    ['https://example.com/', 'site/index.html'],
    ['https://example.com/en/a.html?x=1#f', 'site/en/a.html'],
    ['https://example.com/en/', 'site/en/index.html'],
    ['https://example.com/docs/a', 'docs/src/a'],
    ['https://example.com/docs', 'docs/src/index.html'],
    ['https://example.com/docs2/a', 'site/docs2/a'],
    ['http://127.0.0.1:8080/a/b.html', 'a/b.html'],
    ['http://127.0.0.1:8080/', 'index.html'],
    ['http://127.0.0.1:8080//evil.example/a', 'evil.example/a'],
    ['https://example.com/a/../../b', 'site/b'],
    ['https://example.com/ü b|c%zz:d', 'site/%C3%BC%20b%7Cc%25zz%3Ad'],
    ['https://other.example:8443/x:y/', 'other.example%3A8443/x%3Ay/index.html'],
    ['http://example.com/a.html', 'example.com/a.html'],
    ['http://[::1]:3000/a', '%5B%3A%3A1%5D%3A3000/a'],
    ['mailto:a@b', 'a@b'],
    ['http://[bad', 'unknown/http%3A//%5Bbad'],
    ['', 'unknown/page'],
    ['\ud800', 'unknown/page'],
  ])('%s: %s', (url, path) => {
    const found = repositoryPath(url, map);
    expect(found).toBe(path);
    // Relative to a base, it stays below it.
    expect(new URL(found, 'file:///repository/').href).toBe(`file:///repository/${path}`);
  });

  test.each([
    'https://example.com/',
    '=site',
    'site=https://example.com/',
    'ftp://a/=b',
    'https://a/?q=b',
    'https://a/=../b',
    'https://a/=/b',
    'https://a/=c:/b',
  ])('a map is rejected: %s', (text) => {
    expect(() => parseMap(text)).toThrow(/expected a map such as .*, found/);
  });
});
