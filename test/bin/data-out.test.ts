import { readFile, readdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { csvRecord } from '../../packages/export/pages/csv.js';
import { openOutput } from '../../packages/export/target/output-file.js';
import { ERROR_CODES } from '../../packages/errors/index.js';
import { resetStub, stub } from './stub-api.js';
import { Sink, type TestIo, runLine, testIo } from './test-io.js';
import { suiteFolder } from '../support/files/temp-folder.js';
import { marksOfGone } from '../support/process-marks.js';

vi.mock('../../packages/webcrawl/internal.js', async () => (await import('./stub-api.js')).api);

const folder = suiteFolder();
let count = 0;
beforeEach(resetStub);

const called = (name: string) => stub.calls.find((call) => call.name === name)?.options;
const onTerminal = (): TestIo => ({ ...testIo(), stdout: new Sink({ isTTY: true }) });
const newFile = (): string => join(folder, `out-${++count}`);

describe('an export on the command line', () => {
  test('reports an earlier interrupted export, empty results, and values that a spreadsheet may read as formulas', async () => {
    stub.report = { counters: { rows: 1200, restarted: 1, formulas: 3 } };
    const { code, err } = await runLine('export pages -o p.csv'.split(' '));
    expect(code).toBe(0);
    expect(err).toContain('An export to this target was interrupted: this one began again.');
    expect(err).toContain('read as a formula (they begin with =, +, -, @ or a tab): 3');
    stub.report = { counters: {} };
    expect((await runLine('export pages -o p.csv'.split(' '))).err).toContain('No page is selected:');
    stub.report = { counters: { selected: 847, lost_body: 836, no_body: 11 } };
    const bodiless = await runLine('export warc -o archive'.split(' '));
    expect(bodiless.err).toContain('No page is selected that has a body');
    expect(bodiless.err).toContain('no longer in the table: 836');
  });

  test.each([
    ['export pages', 'required option'],
    ['export pages -o - --json', '-o - and --json cannot be combined'],
    ['export pages -o p --since 31-01-2026', 'and not the id of a batch'],
    ['export pages -o p --format xml', 'not one of jsonl, csv, xlsx, parquet, hosts'],
    ['export warcs -o p', 'unknown command'],
  ])('%s is refused: %s', async (line, message) => {
    const { code, err } = await runLine(line.split(' '));
    expect(code).toBe(ERROR_CODES.USAGE.exitCode);
    expect(err).toContain(message);
    expect(called('exportPages')).toBeUndefined();
  });

  test('accepts key and url among the fields', async () => {
    expect((await runLine('export pages -o p --fields key,url,title'.split(' '))).code).toBe(0);
    expect(called('exportPages')).toMatchObject({ fields: ['title'] });
    resetStub();
    expect((await runLine('export pages -o p --fields key,url'.split(' '))).code).toBe(0);
    expect(called('exportPages')).toMatchObject({ fields: [] });
  });

  test('exits with 1 if all bodies to export are lost', async () => {
    stub.report = { counters: { selected: 5, lost_body: 5 } };
    expect((await runLine('export warc -o w'.split(' '))).code).toBe(1);
    stub.report = { counters: { rows: 5, lost_body: 5 } };
    expect((await runLine('export pages -o p --fields content --quiet'.split(' '))).code).toBe(1);
    stub.report = { counters: { rows: 5, lost_body: 4 } };
    expect((await runLine('export pages -o p --fields content'.split(' '))).code).toBe(0);
    stub.report = { counters: { rows: 5, lost_body: 5, chunks: 0 } };
    expect((await runLine('export chunks -o c'.split(' '))).code).toBe(1);
  });

  test('writes no binary format to a terminal', async () => {
    const { code, err } = await runLine('export pages -o - --format parquet'.split(' '), onTerminal());
    expect(code).toBe(ERROR_CODES.USAGE.exitCode);
    expect(err).toContain('a binary format cannot be written to a terminal');
  });
});

describe('a selection on the command line', () => {
  test.each(['readdb --dump', 'remove'])('%s passes it to the job', async (verb) => {
    const options =
      '--domain a.com --status fetched,gone --code not_found,404 --fetched-since 2026-01-31 --fetched-before ' +
      '2026-02-01T10:00 --due-before 2026-03-01T10:00+02:00 --rejected';
    expect((await runLine([...verb.split(' '), ...options.split(' ')])).err).not.toContain('error');
    expect(called(verb === 'remove' ? 'remove' : 'exportPages')).toMatchObject({
      domain: 'a.com',
      status: ['fetched', 'gone'],
      code: ['not_found', '404'],
      fetchedSince: Date.UTC(2026, 0, 31),
      fetchedBefore: Date.UTC(2026, 1, 1, 10),
      dueBefore: Date.UTC(2026, 2, 1, 8),
      rejected: true,
    });
  });

  test('a time may be the name of a mark', async () => {
    const options = '--fetched-since v1 --fetched-before v2 --due-before v3 --since last-week --bytes';
    expect((await runLine(['export', 'pages', '-o', 'p.csv', ...options.split(' ')])).err).not.toContain('error');
    const times = { fetchedSince: 'v1', fetchedBefore: 'v2', dueBefore: 'v3', since: 'last-week', bytes: true };
    expect(called('exportPages')).toMatchObject(times);
  });

  test('durations count back from now for fetch times, and forward for due times', async () => {
    const before = Date.now();
    await runLine('readdb --dump --fetched-since 2d --fetched-before now --due-before 90m'.split(' '));
    const after = Date.now();
    const { fetchedSince, fetchedBefore, dueBefore } = called('exportPages') as Record<string, number>;
    for (const [time, offset] of [
      [fetchedSince, -172_800_000],
      [fetchedBefore, 0],
      [dueBefore, 5_400_000],
    ] as const) {
      expect(time).toBeGreaterThanOrEqual(before + offset);
      expect(time).toBeLessThanOrEqual(after + offset);
    }
  });
});

test('an unknown code is reported', async () => {
  for (const verb of ['readdb --dump', 'remove']) {
    const { err } = await runLine([...verb.split(' '), '--code', 'not_found,notfound,404,plugin_error_x']);
    expect(err).toContain('webcrawl has no protocol code notfound; its codes are: success, ');
  }
});

test.each([
  ['readdb --dump --code not_found,connect', 'connect is now called connect_failed'],
  ['readdb --dump --fields title,modifiedTime', 'modifiedTime is now called modifiedAt'],
  ['export pages -o - --fields published', 'published is now called publishedAt'],
  ['changes --kind gone,moved', 'moved is now called reordered'],
])('%s names the new name', async (line, message) => {
  const { code, err } = await runLine(line.split(' '));
  expect(code).toBe(64);
  expect(err).toContain(message);
});

describe('remove', () => {
  test('only counts without --yes, and says so', async () => {
    stub.report = { counters: { would_remove: 3 } };
    const { code, err } = await runLine(['remove', '--host', 'a']);
    expect(code).toBe(0);
    expect(called('remove')).toEqual({ host: 'a', dryRun: true });
    expect(err).toContain('would_remove  3');
    expect(err).toContain('No page was removed. The same command with --yes');
  });

  test('exits with 1 if nothing is selected, and reports pages that a batch holds', async () => {
    stub.report = { counters: {} };
    expect(await runLine(['remove', '--host', 'a', '--yes'])).toMatchObject({ code: 1 });
    expect(called('remove')).toEqual({ host: 'a', dryRun: false });
    stub.report = { counters: { removed: 1, held: 2 } };
    const { code, err } = await runLine(['remove', '--host', 'a', '--yes']);
    expect(code).toBe(0);
    expect(err).toContain('An open batch holds 2 pages of these');
  });
});

describe('dedup', () => {
  test('lists the hosts whose near duplicates are not marked, and says how to mark them', async () => {
    stub.report = { counters: { pages: 100, unmarked: 94, unmarked_hosts: 30 } };
    stub.run = ({ onUnmarked }) => {
      for (let n = 0; n < 30; n++) onUnmarked?.({ host: `h${n}\u001b.example`, near: 1094, pages: 1100 });
    };
    for (const args of [['dedup'], ['dedup', '--json']]) {
      const { code, err } = await runLine(args);
      expect(code).toBe(0);
      expect(err).toContain(
        'not marked, h0\\u001b.example: 1,094 of its 1,100 pages look like pages of one template\n',
      );
      expect(err.match(/not marked/g)).toHaveLength(20);
      expect(err).toContain('more hosts are only counted\nThe same command with --yes marks them.\n');
    }
    expect((await runLine(['dedup', '--quiet'])).err).toBe('');
    stub.run = undefined;
    expect((await runLine(['dedup'])).err).not.toContain('--yes');
  });
});

describe('CSV', () => {
  const quoted = (text: string) => csvRecord([text]);

  test('follows RFC 4180', () => {
    expect(csvRecord(['a', 1, undefined, null, true, 0.5])).toBe('a,1,,,true,0.5\r\n');
    expect(quoted('a,b')).toBe('"a,b"\r\n');
    expect(quoted('a"b')).toBe('"a""b"\r\n');
    expect(quoted('a\r\nb')).toBe('"a\r\nb"\r\n');
    expect(csvRecord([{ code: 'moved', http: 301 }, []])).toBe('"{""code"":""moved"",""http"":301}",[]\r\n');
  });

  test('of a dump warns of values that a spreadsheet may read as formulas', async () => {
    stub.report = { counters: { rows: 2, formulas: 1 } };
    const { err } = await runLine('readdb --dump --format csv --fields title,score'.split(' '));
    expect(called('exportPages')).toMatchObject({ format: 'csv', fields: ['title', 'score'] });
    expect(err).toContain('may read as a formula (they begin with =, +, -, @ or a tab): 1');
  });
});

describe('--output', () => {
  const dumpTo = (file: string, ...more: string[]) => runLine(['readdb', '--dump', '--output', file, ...more]);
  const parts = async () => (await readdir(folder)).filter((name) => name.startsWith('.webcrawl-'));

  test('writes a file, and replaces an existing one only with --force', async () => {
    const file = newFile();
    stub.rows = Array.from({ length: 3000 }, (_, i) => ({ key: `key-${i}`, title: 'x'.repeat(50) }));
    expect(await dumpTo(file)).toEqual({ code: 0, out: '', err: `3,000 pages written to ${file}\n` });
    const text = await readFile(file, 'utf8');
    expect(
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual(stub.rows);
    stub.rows = [{ key: 'other' }];
    const { code, err } = await dumpTo(file);
    expect(code).toBe(ERROR_CODES.BAD_OUTPUT.exitCode);
    expect(err).toContain('--force replaces it');
    expect(await readFile(file, 'utf8')).toBe(text);
    expect((await dumpTo(file, '--force')).code).toBe(0);
    expect(await readFile(file, 'utf8')).toBe('{"key":"other"}\n');
    expect(await parts()).toEqual([]);
  });

  test('a file that another process creates in the meantime is kept', async () => {
    const file = newFile();
    await using output = await openOutput(file, false);
    await output.write('ours');
    await writeFile(file, 'theirs');
    await expect(output.commit()).rejects.toMatchObject({ code: 'BAD_OUTPUT' });
    expect(await readFile(file, 'utf8')).toBe('theirs');
  });

  test('a stopped or failed output leaves no file', async () => {
    const file = newFile();
    stub.rows = [{ key: 'k' }];
    const io = testIo();
    io.stop.abort();
    const { code, err } = await runLine(['readdb', '--dump', '--output', file], io);
    expect(code).toBe(130);
    expect(err).toContain('was not written');
    await expect(
      (async () => {
        await using output = await openOutput(file, false);
        await output.write('half');
        throw new Error('in the middle');
      })(),
    ).rejects.toThrow('in the middle');
    expect(await readdir(folder)).not.toContain(basename(file));
    expect(await parts()).toEqual([]);
  });

  test('the next output in the folder removes the partial files of killed processes, but not those of running ones', async () => {
    await using other = await openOutput(newFile(), false);
    await other.write('by another one');
    const others = await parts();
    for (const mark of await marksOfGone()) await writeFile(join(folder, `.webcrawl-output-${mark}-1a2b3c4d`), 'half');
    stub.rows = [{ key: 'k' }];
    expect((await dumpTo(newFile())).code).toBe(0);
    expect(others).toHaveLength(1);
    expect(await parts()).toEqual(others);
  });

  test.each([
    ['a folder', () => folder, 'is a folder, not a file'],
    ['a missing folder', () => join(folder, 'nowhere', 'x'), 'hint: mkdir -p'],
  ])('%s is refused', async (_, path, expected) => {
    const { code, err } = await dumpTo(path(), '--force');
    expect(code).toBe(ERROR_CODES.BAD_OUTPUT.exitCode);
    expect(err).toContain(expected);
  });
});

describe('--raw', () => {
  const page = (content: Uint8Array) => [{ key: 'k', status: 'fetched', content }];
  const raw = ['readdb', '--url', 'http://a/', '--raw'];

  test('prints the bytes as they are', async () => {
    stub.rows = page(Uint8Array.of(0, 255, 27, 10));
    expect((await runLine(raw)).out).toBe('\u0000\u00ff\u001b\n');
    const file = newFile();
    expect((await runLine([...raw, '--output', file])).code).toBe(0);
    expect([...(await readFile(file))]).toEqual([0, 255, 27, 10]);
  });

  test('a terminal gets text only', async () => {
    stub.rows = page(Buffer.from('<p>caf\u00e9</p>\r\n\t'));
    expect((await runLine(raw, onTerminal())).code).toBe(0);
    for (const bytes of [Uint8Array.of(255), Buffer.from('a\u001b[2J'), Buffer.from('\u009b2J'), Buffer.from('\0')]) {
      stub.rows = page(bytes);
      const { code, out, err } = await runLine(raw, onTerminal());
      expect([code, out]).toEqual([ERROR_CODES.USAGE.exitCode, '']);
      expect(err).toContain('--output <file>');
    }
  });

  test('says why there is no body, or that it is incomplete', async () => {
    expect(await runLine(raw)).toMatchObject({ code: 1, out: '', err: 'The table has no page http://a/\n' });
    stub.rows = [{ key: 'k', status: 'gone' }];
    const { code, err } = await runLine(raw);
    expect(code).toBe(1);
    expect(err).toContain('has no body of http://a/; its status is gone');
    stub.rows = [{ ...page(Buffer.from('x'))[0]!, protocolStatus: { truncated: true } }];
    expect((await runLine(raw)).err).toContain('is incomplete');
  });
});

test.each([
  ['page', {}, 'No page links to another page of the table'],
  ['host', { links_within_host: 7 }, 'All links between pages of the graph stay within a host: it has no edges.'],
  ['domain', { links_within_domain: 7 }, 'stay within a domain'],
  ['page', { links_outside: 7 }, 'lead to pages that are not selected'],
])('a graph of the level %s with the counters %j has no edges: %s', async (level, counters, message) => {
  stub.report = { counters: { scanned: 3, ...counters } };
  expect((await runLine(['graph', '-o', 'g', '--level', level])).err).toContain(message);
});
