import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AuditFinding, AuditSummary } from '../../../packages/audit/index.js';
import { parseFailOn } from '../../../packages/audit/gate/fail-on.js';
import { ROOT } from '../../support/docs/source-files.js';
import { RULES, madeFinding, madeReport, written } from '../../support/audit/made-report.js';

const FINDINGS: readonly AuditFinding[] = [
  madeFinding(),
  madeFinding({ id: 'f1', rule: 'redirect-loop', isNew: 'target' }),
  madeFinding({ id: 'f2', rule: 'title-duplicate', severity: 'warn', isNew: 'link' }),
  madeFinding({ id: 'f3', rule: 'page-slow', severity: 'notice', isNew: 'link' }),
  madeFinding({ id: 'f4', rule: 'fragment-missing', severity: 'warn', state: 'inconclusive', isNew: 'link' }),
  madeFinding({ id: 'f5', rule: 'external-unverified', severity: 'notice', state: 'unverified' }),
];

async function outcomeOf(
  failOn: readonly string[],
  summary: Partial<AuditSummary> = {},
  findings = FINDINGS,
  allowPartial = false,
) {
  return (await written(madeReport(findings, summary), { format: 'json', failOn, hasSince: true, allowPartial }))
    .outcome;
}

const TABLE = [
  ...readFileSync(join(ROOT, 'docs/AUDIT.md'), 'utf8').matchAll(
    /^\| (all|some|none) +\| (yes|no) +\| (yes|no) +\| ([01]) +\|$/gm,
  ),
].map(([, read = '', fails = '', partial = '', status = '']) => ({ read, fails, partial, status }));

test('the table of exit statuses in AUDIT.md has each case once', () => {
  expect(new Set(TABLE.map(({ read, fails, partial }) => `${read} ${fails} ${partial}`)).size).toBe(10);
  expect(TABLE).toHaveLength(10);
});

test.each(TABLE)('exit status $status: $read pages read, findings $fails, --allow-partial $partial', async (row) => {
  const summary = {
    all: {},
    some: { complete: false, because: ['x'] },
    none: { pages: 0, complete: false, because: ['x'] },
  };
  const { exitCode } = await outcomeOf(
    ['broken'],
    summary[row.read as keyof typeof summary],
    row.fails === 'yes' ? FINDINGS : [],
    row.partial === 'yes',
  );
  expect(String(exitCode)).toBe(row.status);
});

describe('--fail-on', () => {
  test.each([
    ['link-broken', 'link-broken 1'],
    ['broken', 'link-broken 1, redirect-loop 1'],
    ['error', 'link-broken 1, redirect-loop 1'],
    ['warn', 'link-broken 1, redirect-loop 1, title-duplicate 1'],
    ['notice', 'link-broken 1, redirect-loop 1, title-duplicate 1, page-slow 1'],
    ['new', 'redirect-loop 1, title-duplicate 1'],
    ['new:target', 'redirect-loop 1'],
    ['new:link', 'title-duplicate 1'],
    ['speed', 'page-slow 1'],
  ])('%s', async (name, rules) => {
    const { exitCode, reason } = await outcomeOf([name]);
    expect(exitCode).toBe(1);
    expect(reason).toContain(`The audit fails: --fail-on ${name}: `);
    expect(reason).toContain(`(${rules}).`);
  });

  test.each(['titles,fragment-missing', 'external', 'fragments'])('%s: uncertain findings never fail', async (name) => {
    const unsure = FINDINGS.filter(({ state }) => state !== 'open');
    expect(await outcomeOf([name], {}, unsure)).toEqual({
      exitCode: 0,
      reason: `The audit passes: no finding of --fail-on ${name}.`,
    });
  });

  test('with several names reports each that applies, on one line', async () => {
    const { reason } = await outcomeOf(['page-slow, titles', 'page-slow', 'fragments']);
    expect(reason).toBe(
      'The audit fails: --fail-on page-slow: 1 finding (page-slow 1); --fail-on titles: 1 finding (title-duplicate 1).',
    );
  });

  test('is not given: findings do not matter, and there is no message', async () => {
    expect(await outcomeOf([])).toEqual({ exitCode: 0, reason: undefined });
  });

  test.each([
    ['link-brokn', 'did you mean link-broken?'],
    ['errors', 'did you mean error?'],
    ['new:links', 'did you mean new:link?'],
    [
      'nothing-like-it',
      'severities are error, warn, notice, groups broken, titles, fragments, speed, external; webcrawl audit --rules',
    ],
    [' , ', 'severities are'],
  ])('rejects an unknown name: %s', (name, hint) => {
    expect(() => parseFailOn([name], { rules: RULES, hasSince: true })).toThrow(
      expect.objectContaining({ code: 'USAGE', hint: expect.stringContaining(hint) as string }) as Error,
    );
  });

  test('for new findings needs a mark', () => {
    expect(() => parseFailOn(['broken,new:link'], { rules: RULES, hasSince: false })).toThrow(
      '--fail-on new:link needs --since',
    );
  });
});

describe('an incomplete audit', () => {
  const partial = { complete: false, because: ['31 pages are due', 'b.example is away'] };

  test('fails, also without findings and without --fail-on', async () => {
    expect(await outcomeOf([], partial, [])).toEqual({
      exitCode: 1,
      reason:
        'The audit fails: it is not complete, 31 pages are due (and 1 other reason); --allow-partial accepts this.',
    });
  });

  test('is also an audit of no pages, even if it says that it is complete', async () => {
    const { exitCode, reason } = await outcomeOf(['broken'], { pages: 0, complete: true }, []);
    expect([exitCode, reason]).toEqual([1, 'The audit fails: nothing was audited: no page was fetched.']);
  });

  test('passes with --allow-partial, unless a condition applies', async () => {
    expect((await outcomeOf([], partial, [], true)).exitCode).toBe(0);
    expect((await outcomeOf(['broken'], partial, [], true)).exitCode).toBe(0);
    expect((await outcomeOf(['broken'], partial, FINDINGS, true)).reason).toBe(
      'The audit fails: --fail-on broken: 2 findings (link-broken 1, redirect-loop 1).',
    );
  });

  test('reports both reasons', async () => {
    expect((await outcomeOf(['speed'], partial)).reason).toMatch(/not complete.*; --fail-on speed: 1 finding/);
  });
});
