import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import {
  AUDIT_REPORT_HELP,
  addAuditReportOptions,
  auditReportWriter,
  type AuditReportOptions,
} from '../../../bin/output/audit-report.js';
import type { Cli, GlobalOptions } from '../../../bin/cli.js';
import { RULES, madeFinding, madeReport } from '../../support/audit/made-report.js';
import { testFolder } from '../../support/files/temp-folder.js';
import { Sink, testIo, type TestIo } from '../test-io.js';

async function audit(
  args: readonly string[],
  report = madeReport([madeFinding()]),
  { isTTY = false, io: given = testIo(), ...global }: GlobalOptions & { isTTY?: boolean; io?: TestIo } = {},
) {
  const io = { ...given, stdout: new Sink({ isTTY }) };
  const cli: Cli = { io, options: () => global, exitCode: 0 };
  const command = addAuditReportOptions(new Command())
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  command.parse([...args], { from: 'user' });
  const write = await auditReportWriter(cli, command.opts<AuditReportOptions>(), RULES, false);
  await write({ tables: {} as never }, report);
  return { code: cli.exitCode, out: io.stdout.text, err: io.stderr.text };
}

test('text to standard output by default', async () => {
  const { code, out, err } = await audit([]);
  expect(out).toContain('error  link-broken: Link to a page');
  expect([code, err]).toEqual([0, '']);
});

test('the file extension decides the format; the counts and the reason of a failure go to standard error', async () => {
  const folder = testFolder();
  const { code, out, err } = await audit([
    '-o',
    join(folder, 'report.sarif'),
    '--map',
    'https://example.com/=site',
    '--fail-on',
    'broken',
  ]);
  expect(out).toBe('');
  expect(JSON.parse(readFileSync(join(folder, 'report.sarif'), 'utf8'))).toMatchObject({ version: '2.1.0' });
  expect(code).toBe(1);
  expect(err.trimEnd().split('\n')).toEqual([
    'Audit of https://example.com/, 2026-11-26 09:30 UTC',
    '1 error, 0 warnings, 0 notices',
    '1,204 pages and 30,112 links were looked at, by 7 rules',
    'The audit fails: --fail-on broken: 1 finding (link-broken 1).',
  ]);
});

test('with --quiet only the reason of a failure is printed', async () => {
  const quiet = { quiet: true };
  expect(await audit(['--format', 'csv', '--fail-on', 'titles'], undefined, quiet)).toMatchObject({ code: 0, err: '' });
  expect(await audit(['--format', 'csv', '--fail-on', 'error'], undefined, quiet)).toMatchObject({
    code: 1,
    err: 'The audit fails: --fail-on error: 1 finding (link-broken 1).\n',
  });
});

test('a failing condition does not depend on the format', async () => {
  for (const format of ['text', 'html', 'csv', 'json', 'ndjson', 'sarif', 'junit', 'markdown']) {
    expect((await audit(['--format', format, '--fail-on', 'broken'])).code, format).toBe(1);
    expect((await audit(['--format', format, '--fail-on', 'speed'])).code, format).toBe(0);
    expect((await audit(['--format', format], madeReport([], { complete: false }))).code, format).toBe(1);
    expect(
      (await audit(['--format', format, '--allow-partial'], madeReport([], { complete: false }))).code,
      format,
    ).toBe(0);
  }
});

test('sources that do not fit into the HTML page go to a file beside it', async () => {
  const folder = testFolder();
  const size = 20_001;
  const make = () =>
    madeReport((i) => (i < size ? madeFinding({ id: `f${i}` }) : undefined), {
      counts: { error: size, warn: 0, notice: 0, unverified: 0, new: 0 },
    });
  await audit(['-o', join(folder, 'report.html')], make());
  expect(readdirSync(folder).sort()).toEqual(['report-sources.csv', 'report.html']);
  const lines = readFileSync(join(folder, 'report-sources.csv'), 'utf8').trimEnd().split('\r\n');
  expect(lines).toHaveLength(size + 1);
  expect(lines.slice(0, 2)).toEqual([
    'finding,rule,url,source,anchor,kind,line',
    'f0,link-broken,https://example.com/lost,https://example.com/a.html,The lost page,a,14',
  ]);
  expect(readFileSync(join(folder, 'report.html'), 'utf8')).not.toContain('class="sources"');
  const { err } = await audit(['--format', 'html'], make());
  expect(err).toContain('The sources of the findings are not in the page');
});

test('a page does not get its name before the file beside it', async () => {
  const folder = testFolder();
  const report = madeReport(
    (i) => {
      if (i === 0) writeFileSync(join(folder, 'report-sources.csv'), 'came meanwhile');
      return i === 0 ? madeFinding() : undefined;
    },
    { counts: { error: 20_001, warn: 0, notice: 0, unverified: 0, new: 0 } },
  );
  await expect(audit(['-o', join(folder, 'report.html')], report)).rejects.toMatchObject({ code: 'BAD_OUTPUT' });
  expect(readdirSync(folder)).toEqual(['report-sources.csv']);
});

test.each(['report.csv', 'report.html'])('a stop ends the output at once, and leaves no %s', async (name) => {
  const folder = testFolder();
  const io = testIo();
  const report = madeReport(
    (i) => {
      if (i === 100) io.stop.abort();
      return i < 50_000 ? madeFinding() : undefined;
    },
    { counts: { error: 50_000, warn: 0, notice: 0, unverified: 0, new: 0 } },
  );
  await expect(audit(['-o', join(folder, name)], report, { io })).rejects.toMatchObject({ name: 'AbortError' });
  expect(report.read()).toBeLessThan(1_000);
  expect(readdirSync(folder)).toEqual([]);
});

test('text from pages cannot control a terminal', async () => {
  const { out } = await audit(['--format', 'csv'], madeReport([madeFinding({ message: 'a\u001b[31mb' })]), {
    isTTY: true,
  });
  expect(out).toContain('a\\u001b[31mb');
});

describe('a wrong option is found before the audit begins', () => {
  test.each([
    [['-o', 'report.pdf'], 'the extension of report.pdf names no format'],
    [['--sources'], '--sources and --format text cannot be combined'],
    [['--map', 'https://a/=b', '--format', 'csv'], '--map and --format csv cannot be combined'],
    [['--map', 'a', '--format', 'sarif'], 'expected a map such as'],
    [['--fail-on', 'brokn'], '--fail-on brokn: not a rule, a group or a severity'],
    [['--fail-on', ','], '--fail-on : not a rule, a group or a severity'],
    [['--fail-on', 'new'], '--fail-on new needs --since'],
    [['--format', 'pdf'], "argument 'pdf' is invalid"],
  ])('%j', async (args, message) => {
    const report = madeReport([madeFinding()]);
    await expect(audit(args, report)).rejects.toThrow(message);
    expect(report.read()).toBe(0);
  });

  test('--json with another format', async () => {
    await expect(audit(['--format', 'csv'], undefined, { json: true })).rejects.toThrow(
      '--format csv and --json cannot be combined',
    );
    expect(JSON.parse((await audit([], undefined, { json: true })).out)).toMatchObject({ version: 1 });
  });
});

test('the help lists every format with its file extensions', () => {
  expect(AUDIT_REPORT_HELP).toMatch(/^ {2}ndjson +\.ndjson \.jsonl +the summary/m);
});
