import MarkdownIt from 'markdown-it';
import { describe, expect, test } from 'vitest';
import type { AuditFinding } from '../../../packages/audit/index.js';
import {
  AT,
  HOSTILE_FINDINGS,
  RULES,
  madeFinding,
  madeReport,
  madeSource,
  written,
} from '../../support/audit/made-report.js';

const DAY = 86_400_000;

/** Two rules; one has more findings than are shown. */
function someReport() {
  const sources = {
    total: 212,
    shown: Array.from({ length: 8 }, (_, i) => madeSource({ url: `https://example.com/p${i}` })),
  };
  return madeReport(
    [
      madeFinding({
        sources,
        impact: 100,
        message: 'https://example.com/lost returns 404. 212 pages link to it.',
        since: AT - 9 * DAY,
        lastOkAt: AT - 10 * DAY,
        isNew: 'target',
      }),
      ...Array.from({ length: 12 }, (_, i) =>
        madeFinding({
          id: `f${i}`,
          rule: 'fragment-missing',
          severity: 'warn',
          url: `https://example.com/f${i}`,
          impact: 10 - i * 0.9,
        }),
      ),
      madeFinding({
        id: 'u',
        rule: 'external-unverified',
        severity: 'notice',
        state: 'unverified',
        impact: 0,
        evidence: {},
        sources: { total: 0, shown: [] },
      }),
    ],
    { since: AT - 7 * DAY, complete: false, because: ['31 pages are due'] },
  );
}

test('a new finding broke after the mark only if it is known to have worked before', async () => {
  const found = [{ lastOkAt: AT }, {}].map((times) => madeFinding({ ...times, isNew: 'target' }));
  const { text } = await written(madeReport(found), { format: 'text' });
  expect(text.match(/new: [^,]*/g)).toEqual(['new: it broke after the mark', 'new: it was not so at the mark']);
});

test('text has what is missing, the counts, then rules with their first findings', async () => {
  const { text } = await written(someReport(), { format: 'text' });
  expect(text.split('\n').slice(0, 15)).toEqual([
    'NOT COMPLETE: 31 pages are due',
    'Audit of https://example.com/, 2026-11-26 09:30 UTC',
    '1 error, 12 warnings, 0 notices; 1 not verified; 1 new since 2026-11-19',
    '1,204 pages and 30,112 links were looked at, by 7 rules',
    '',
    'error  link-broken: Link to a page that is not there (1)',
    '  How to fix it: Change or remove the link.',
    '  https://example.com/lost',
    '    returns 404. 212 pages link to it',
    '    since 2026-11-17, last worked 2026-11-16, new: it broke after the mark, impact high',
    '    status: 404',
    '    from https://example.com/p0 (a, line 14): The lost page',
    '    from https://example.com/p1 (a, line 14): The lost page',
    '    from https://example.com/p2 (a, line 14): The lost page',
    '    … and 209 more',
  ]);
  expect(text).toContain('https://example.com/f9\n');
  expect(text).not.toContain('https://example.com/f10\n');
  expect(text).toContain('  … and 2 more\n');
  expect(text).toContain('    returns 404\n    not verified, impact low');
  expect(text.trimEnd().split('\n').at(-1)).toContain('-o report.html');
});

test('text of a report without findings claims no more than was checked', async () => {
  expect((await written(madeReport([], { pages: 0, complete: true }), { format: 'text' })).text).toContain(
    'NOT COMPLETE: nothing was audited',
  );
  expect((await written(madeReport([]), { format: 'text' })).text).toContain(
    'No fault was found in the pages of this audit.',
  );
});

describe('markdown', () => {
  test('has what is missing, the counts, a table of rules, and their findings', async () => {
    const { text } = await written(someReport(), { format: 'markdown' });
    expect(text).toContain('**Not complete:** 31 pages are due');
    expect(text.indexOf('Not complete')).toBeLessThan(text.indexOf('1 error, 12 warnings'));
    expect(text).toContain('| error | `link-broken` Link to a page that is not there | 1 |');
    expect(text).toContain(
      '- <https://example.com/lost>: returns 404. 212 pages link to it (since 2026-11-17, last worked 2026-11-16, new: it broke after the mark, impact high). `status: 404`',
    );
    expect(text).toContain('  - <https://example.com/p0> (a, line 14) `The lost page`');
    expect(text).toContain('  - and 207 more');
  });

  test('has at most 60,000 characters, with every rule and the number of findings left out', async () => {
    const rules = Array.from({ length: 90 }, (_, i) => ({ ...RULES[0]!, id: `rule-${i}` }));
    const shown = Array.from({ length: 10 }, () => madeSource({ url: `https://example.com/${'s'.repeat(900)}` }));
    const findings = rules.flatMap(({ id }) =>
      Array.from({ length: 60 }, (_, i) =>
        madeFinding({
          id: `${id}-${i}`,
          rule: id,
          url: `https://example.com/${'l'.repeat(900)}`,
          message: 'm'.repeat(900),
          sources: { total: 10, shown },
        }),
      ),
    );
    const { text } = await written(madeReport(findings, { rules }), { format: 'markdown' });
    expect(text.length).toBeLessThanOrEqual(60_000);
    for (const { id } of rules) expect(text).toContain(`| \`${id}\` Link`);
    expect(text).toMatch(/- and \d\d more|- 60 findings/);
  });

  test('contains no markup or mention from a page', async () => {
    const { text } = await written(madeReport(HOSTILE_FINDINGS, { scope: ['[x](http://evil.example/)'] }), {
      format: 'markdown',
    });
    const html = new MarkdownIt({ html: true, linkify: false }).render(text);
    const elements = [...html.matchAll(/<([a-z][a-z0-9]*)/g)].map(([, name]) => name!);
    expect([...new Set(elements)].sort()).toEqual([
      'a',
      'code',
      'h1',
      'h2',
      'li',
      'p',
      'table',
      'tbody',
      'td',
      'th',
      'thead',
      'tr',
      'ul',
    ]);
    const targets = [...html.matchAll(/href="([^"]*)"/g)].map(([, target]) => target);
    expect(targets.filter((target) => !target!.startsWith('https://example.com/'))).toEqual([]);
    const outsideCode = html.replace(/<code>.*?<\/code>/gs, '');
    expect(outsideCode).not.toMatch(/@someone|#1\b/);
  });
});

test('shows the impact relative to the highest one in the report', async () => {
  const impacts = async (values: readonly number[]) => {
    const findings: AuditFinding[] = values.map((impact, i) => madeFinding({ id: `${i}`, impact }));
    const { text } = await written(madeReport(findings), { format: 'text' });
    return [...text.matchAll(/impact (\w+)/g)].map(([, level]) => level);
  };
  expect(await impacts([1000, 100, 99, 10, 9])).toEqual(['high', 'high', 'middle', 'middle', 'low']);
  expect(await impacts([0, 0])).toEqual(['high', 'high']);
});
