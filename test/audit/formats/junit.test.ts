import { Parser } from 'htmlparser2';
import { expect, test } from 'vitest';
import {
  HOSTILE_FINDINGS,
  RULES,
  madeFinding,
  madeReport,
  madeSource,
  written,
} from '../../support/audit/made-report.js';

interface Case {
  readonly suite: string;
  readonly of: string;
  readonly name: string;
  outcome: string;
  text: string;
}

/** The cases of a report, and the numbers of its suites computed from their cases. */
async function junit(report: ReturnType<typeof madeReport>, failOn: readonly string[] = []) {
  const { text, notes } = await written(report, { format: 'junit', failOn });
  const cases: Case[] = [];
  const suites: Record<string, string>[] = [];
  let totals: Record<string, string> = {};
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (name === 'testsuites') totals = attributes;
        if (name === 'testsuite') suites.push(attributes);
        if (name === 'testcase') {
          cases.push({
            suite: suites.at(-1)!['name']!,
            of: attributes['classname']!,
            name: attributes['name']!,
            outcome: 'passed',
            text: '',
          });
        }
        if (['failure', 'skipped', 'system-out'].includes(name)) cases.at(-1)!.outcome = name;
        if (attributes['message'] !== undefined) cases.at(-1)!.text += attributes['message'];
      },
      ontext(piece) {
        if (cases.length > 0) cases.at(-1)!.text += piece;
      },
    },
    { xmlMode: true },
  );
  parser.end(text);
  for (const { name, tests, failures, skipped } of suites) {
    const own = cases.filter(({ suite }) => suite === name);
    expect([tests, failures, skipped]).toEqual(
      [
        own.length,
        ...['failure', 'skipped'].map((outcome) => own.filter((each) => each.outcome === outcome).length),
      ].map(String),
    );
  }
  expect(totals['tests']).toBe(String(cases.length));
  expect(totals['failures']).toBe(String(cases.filter(({ outcome }) => outcome === 'failure').length));
  return { cases, notes, text };
}

const outcomes = (cases: readonly Case[]) => cases.map(({ suite, of, outcome }) => `${suite} ${of} ${outcome}`);

test('a case for each finding in the suite of its group, and one for each rule without findings', async () => {
  const { cases } = await junit(
    madeReport([
      madeFinding(),
      madeFinding({ id: 'f1', rule: 'title-duplicate', severity: 'warn' }),
      madeFinding({ id: 'f2', rule: 'page-slow', severity: 'notice' }),
      madeFinding({ id: 'f3', rule: 'external-unverified', severity: 'notice', state: 'unverified' }),
    ]),
  );
  expect(outcomes(cases)).toEqual([
    'audit complete passed',
    'broken link-broken failure',
    'broken redirect-loop passed',
    'titles title-duplicate failure',
    'titles title-missing passed',
    'fragments fragment-missing passed',
    'speed page-slow system-out',
    'external external-unverified skipped',
  ]);
  expect(cases[1]!.text).toContain('returns 404');
  expect(cases[1]!.text).toContain('https://example.com/a.html:14 (a) The lost page');
});

test('with --fail-on, only its findings are failures', async () => {
  const findings = [madeFinding(), madeFinding({ id: 'f2', rule: 'page-slow', severity: 'notice' })];
  expect(
    outcomes((await junit(madeReport(findings), ['page-slow'])).cases).filter((text) => !text.endsWith('passed')),
  ).toEqual(['broken link-broken system-out', 'speed page-slow failure']);
});

test('an incomplete audit has a case that fails', async () => {
  const { cases } = await junit(madeReport([], { complete: false, because: ['31 pages are due', '2 hosts are away'] }));
  expect(cases[0]).toMatchObject({ suite: 'audit', of: 'complete', outcome: 'failure' });
  expect(cases[0]!.text).toContain('31 pages are due; 2 hosts are away');
});

test('all cases of a rule have different names', async () => {
  const { cases } = await junit(madeReport(['a', 'b', 'c'].map((id) => madeFinding({ id, rule: 'fragment-missing' }))));
  expect(cases.filter(({ of }) => of === 'fragment-missing').map(({ name }) => name)).toEqual([
    'https://example.com/lost',
    'https://example.com/lost (b)',
    'https://example.com/lost (c)',
  ]);
});

test('characters that XML cannot have are removed, and texts of pages are not markup', async () => {
  const { cases, text } = await junit(madeReport(HOSTILE_FINDINGS));
  expect(cases).toHaveLength(1 + HOSTILE_FINDINGS.length + RULES.length - 3);
  expect(text).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Cs}/u);
});

test('a file has at most the bytes that GitLab reads, and states what is missing', async () => {
  const shown = Array.from({ length: 10 }, () => madeSource({ url: `https://example.com/${'漢'.repeat(900)}` }));
  const sources = { total: 10, shown };
  const make = (i: number) =>
    i < 1100 ? madeFinding({ id: `f${i}`, url: `https://example.com/${i}`, sources }) : undefined;
  const { text, notes, cases } = await junit(madeReport(make));
  expect(Buffer.byteLength(text)).toBeLessThan(26_000_000);
  expect(notes[0]).toMatch(/^The file has room for 25 MB: [\d,]+ findings with less impact left out\.$/);
  expect(cases[0]!.outcome).toBe('failure');
  expect(cases[0]!.text).toContain('left out');
});
