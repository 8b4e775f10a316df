import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import {
  AUDIT_FORMATS,
  AUDIT_FORMAT_NAMES,
  auditFormatOf,
  auditOutput,
  type AuditFormat,
} from '../../../packages/audit/index.js';
import {
  AT,
  HOSTILE,
  HOSTILE_FINDINGS,
  RULES,
  madeFinding,
  madeReport,
  madeSource,
  written,
} from '../../support/audit/made-report.js';

/** Characters of a page that no reader of a report may get: they would act on a terminal, or hide text. */
const ACTING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufffe]|\p{Cs}/u;

test('the extension of a file decides on the format, in any letter case', () => {
  const endings = AUDIT_FORMAT_NAMES.flatMap((name) => AUDIT_FORMATS[name].endings.map((ending) => [ending, name]));
  expect(endings.map(([ending]) => auditFormatOf(`a.b/report${ending!.toUpperCase()}`))).toEqual(
    endings.map(([, name]) => name),
  );
  expect(new Set(endings.map(([ending]) => ending)).size).toBe(endings.length);
  expect(['report', 'report.pdf', '.html/report', 'html'].map(auditFormatOf)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

describe.each(AUDIT_FORMAT_NAMES)('%s', (format) => {
  test('can be written without findings', async () => {
    const { text, outcome, notes } = await written(madeReport([]), { format });
    expect(text).not.toBe('');
    expect(outcome).toEqual({ exitCode: 0, reason: undefined });
    expect(notes).toEqual([]);
  });

  test('shows no harmful character of a hostile page', async () => {
    const { text } = await written(
      madeReport(HOSTILE_FINDINGS, { scope: [HOSTILE], complete: false, because: [HOSTILE] }),
      { format },
    );
    // A file for programs has the text of the page; the command makes it safe when it shows it.
    if (!['csv', 'xlsx', 'json', 'ndjson'].includes(format)) expect(text).not.toMatch(ACTING);
    expect(text).toContain('漢字 😀');
  });

  test('reads findings no faster than they are written, and each once', async () => {
    const shown = Array.from({ length: 10 }, (_, i) => madeSource({ url: `https://example.com/page-${i}` }));
    const size = 2000;
    const report = madeReport(
      (i) =>
        i < size
          ? madeFinding({ id: `${i}`, url: `https://example.com/${i}`, sources: { total: 10, shown } })
          : undefined,
      {
        counts: { error: 20_001, warn: 0, notice: 0, unverified: 0, new: 0 },
      },
    );
    let isWriting = false;
    let largest = 0;
    const put = async (piece: string | Uint8Array): Promise<void> => {
      expect(isWriting).toBe(false);
      isWriting = true;
      largest = Math.max(largest, piece.length);
      const before = report.read();
      await new Promise(setImmediate);
      expect(report.read()).toBe(before);
      isWriting = false;
    };
    const out = await auditOutput({ format, rules: RULES });
    await out.write(report, put, { name: 'beside.csv', put });
    expect(report.read()).toBe(size);
    expect(largest).toBeLessThan(format === 'html' ? 500_000 : 100_000);
  });

  test('first states that a report is not complete', async () => {
    const because = ['31 pages are due', 'robots.txt of b.example is away'];
    const { text, head, outcome } = await written(madeReport([madeFinding()], { complete: false, because }), {
      format,
    });
    if (format !== 'csv') expect(text).toContain('31 pages are due');
    expect(head.slice(0, 2)).toEqual(because.map((reason) => `NOT COMPLETE: ${reason}`));
    expect(outcome.exitCode).toBe(1);
  });
});

test('a report that fails while it is read is not completed', async () => {
  for (const format of AUDIT_FORMAT_NAMES) {
    const report = madeReport((i) => {
      if (i === 3) throw new Error('the disk is gone');
      return madeFinding();
    });
    await expect(written(report, { format })).rejects.toThrow('the disk is gone');
  }
});

describe('json', () => {
  test('has the summary with the findings, as they are', async () => {
    const { text } = await written(madeReport(HOSTILE_FINDINGS.slice(2)), { format: 'json' });
    const { findings, tool, ...summary } = JSON.parse(text) as Record<string, unknown>;
    expect(findings).toEqual(HOSTILE_FINDINGS.slice(2));
    expect(summary).toEqual(madeReport(HOSTILE_FINDINGS.slice(2)).summary);
    expect(tool).toMatch(/^webcrawl \d/);
  });

  test('as lines has the summary first, then each finding', async () => {
    const { text } = await written(madeReport(HOSTILE_FINDINGS.slice(2)), { format: 'ndjson' });
    const [first, ...lines] = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { at?: number });
    expect(first?.at).toBe(AT);
    expect(lines).toEqual(HOSTILE_FINDINGS.slice(2));
  });
});

test('and csv with sources list every link of a finding, more than the finding shows', async () => {
  const finding = madeFinding({ sources: { total: 3, shown: [madeSource()] } });
  const all = [1, 2, 3, 4].map((line) => madeSource({ line, anchor: `link ${line}` }));
  const report = { ...madeReport([finding]), sourcesOf: () => Readable.from(all) };
  const list = async (format: AuditFormat, sources: boolean): Promise<string> =>
    (await written({ ...report, findings: Readable.from([finding]) }, { format, sources })).text;
  const [, ...rows] = (await list('csv', true)).trimEnd().split('\r\n');
  expect(rows.map((row) => row.split(',').slice(-4).join(','))).toEqual(
    all.map(({ url, anchor, line }) => `${url},${anchor},a,${line}`),
  );
  const whole = { ...finding, sources: { total: 3, shown: all } };
  expect(JSON.parse(await list('json', true))).toMatchObject({ findings: [whole] });
  expect(JSON.parse((await list('ndjson', true)).trimEnd().split('\n')[1]!)).toEqual(whole);
  expect(JSON.parse(await list('json', false))).toMatchObject({ findings: [finding] });
});

describe('csv', () => {
  test('has a row for each finding, in which no spreadsheet sees a formula', async () => {
    const finding = madeFinding({
      url: '=cmd()',
      message: '@a "b"',
      isNew: 'link',
      since: AT,
      lastOkAt: AT - 1,
      lastRequestAt: AT + 1,
    });
    const { text } = await written(madeReport([finding]), { format: 'csv' });
    expect(text).toBe(
      [
        'rule,group,severity,state,new,url,message,impact,since,last_ok,last_asked,evidence,sources,help,id',
        `link-broken,broken,error,open,link,'=cmd(),"'@a ""b""",1,2026-11-26T09:30:00.000Z,2026-11-26T09:29:59.999Z,2026-11-26T09:30:00.001Z,"{""status"":404}",1,Change or remove the link.,f00d`,
        '',
      ].join('\r\n'),
    );
  });

  test('with sources has a row for each, and one for a finding without any', async () => {
    const sources = { total: 212, shown: [madeSource({ anchor: '+1', line: 3 }), madeSource({ url: '-x' })] };
    const report = madeReport([
      madeFinding({ sources }),
      madeFinding({ id: 'f1', evidence: {}, sources: { total: 0, shown: [] } }),
    ]);
    const { text } = await written(report, { format: 'csv', sources: true });
    const rows = text
      .trimEnd()
      .split('\r\n')
      .map((row) => row.split(','));
    expect(rows.map((row) => row.slice(-7).join(','))).toEqual([
      'sources,help,id,source,anchor,kind,line',
      "212,Change or remove the link.,f00d,https://example.com/a.html,'+1,a,3",
      "212,Change or remove the link.,f00d,'-x,The lost page,a,14",
      '0,Change or remove the link.,f1,,,,',
    ]);
    expect(new Set(rows.map((row) => row.length)).size).toBe(1);
  });
});

test('xlsx has numbers and times as such, and text that is never a formula', async () => {
  const findings = [madeFinding({ message: '=1+1', impact: 2.5, since: AT })];
  const { text } = await written(madeReport(findings, { complete: false, because: ['1 page: http://a.com/x'] }), {
    format: 'xlsx',
  });
  expect(text).toContain('NOT COMPLETE: 1 page: http://a.com/x');
  expect(text).toContain('<is><t xml:space="preserve">=1+1</t></is>');
  expect(text).toContain('<c><v>2.5</v></c><c s="1"><v>');
  expect(text).not.toContain('<f>');
});
