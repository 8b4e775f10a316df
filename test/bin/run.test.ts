import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { CrawlError, ERROR_CODES } from '../../packages/errors/index.js';
import { resetStub, stub } from './stub-api.js';
import { runLine, testIo } from './test-io.js';
import { suiteFolder } from '../support/files/temp-folder.js';

vi.mock('../../packages/webcrawl/internal.js', async () => (await import('./stub-api.js')).api);

const folder = suiteFolder();
beforeEach(resetStub);

const called = (name: string) => stub.calls.find((call) => call.name === name)?.options;

describe('arguments reach the jobs', () => {
  test.each([
    [['generate'], 'generate', {}],
    [['generate', '--top-n', '10'], 'generate', { topN: 10 }],
    [
      'generate --add-days 30 --max-count 5 --no-filter'.split(' '),
      'generate',
      { addDays: 30, maxCount: 5, filter: false },
    ],
    [['fetch', 'b1'], 'fetch', { batch: 'b1' }],
    [['fetch', '--all', '--parse', '--threads', '3'], 'fetch', { batch: 'all', parse: true, threads: 3 }],
    [['parse', 'b1', '--force'], 'parse', { batch: 'b1', force: true }],
    [['parse', '--all'], 'parse', { batch: 'all' }],
    [['updatedb', 'b1'], 'updatedb', { batch: 'b1' }],
    [['updatedb', '--all'], 'updatedb', { batch: 'all' }],
    [['repair'], 'repair', {}],
    [['export', 'pages', '-o', 'p.csv'], 'exportPages', { output: 'p.csv' }],
    [['index'], 'index', { all: false }],
    [['index', '--all'], 'index', { all: true }],
    [['index', '1-2'], 'index', { all: false, batch: '1-2' }],
    [['rank'], 'rank', { level: 'both' }],
    [['rank', '--level', 'host'], 'rank', { level: 'host' }],
    [['graph', '-o', 'g', '--level', 'host'], 'exportGraph', { output: 'g', level: 'host' }],
    [
      'graph -o g --level page --format dot --raw --force --domain a.com'.split(' '),
      'exportGraph',
      { output: 'g', level: 'page', format: 'dot', raw: true, force: true, domain: 'a.com' },
    ],
    [['export', 'chunks', '-o', 'c.jsonl'], 'exportChunks', { output: 'c.jsonl' }],
    [['export', 'chunks', '-o', 'c', '--max-words', '40'], 'exportChunks', { output: 'c', maxWords: 40 }],
    [['export', 'chunks', '-o', 'c', '--all'], 'exportChunks', { output: 'c', all: true }],
    [
      'export pages -o p.xlsx --all --each inlinks --code 404'.split(' '),
      'exportPages',
      { output: 'p.xlsx', all: true, each: 'inlinks', code: ['404'] },
    ],
    [['dedup'], 'dedup', { exact: false, yes: false }],
    [['dedup', '--exact'], 'dedup', { exact: true, yes: false }],
    [['dedup', '--yes'], 'dedup', { exact: false, yes: true }],
    [
      'export pages -o by-host --format hosts --fields title --force --limit 3 --since 17-3 --host a.com --status gone'.split(
        ' ',
      ),
      'exportPages',
      {
        output: 'by-host',
        format: 'hosts',
        fields: ['title'],
        force: true,
        limit: 3,
        since: '17-3',
        host: 'a.com',
        status: ['gone'],
      },
    ],
    [
      ['export', 'pages', '-o', 'p', '--since', '2026-01-31'],
      'exportPages',
      { since: Date.UTC(2026, 0, 31), output: 'p' },
    ],
    [['crawl', 'http://a/'], 'crawl', { stay: 'host' }],
    [['crawl', 'http://a/', '--refetch'], 'crawl', { stay: 'host', refetch: true }],
    [
      ['crawl', '--shard', '1/3'],
      'crawl',
      { stay: 'host', shard: { index: 1, count: 3 }, onWait: expect.any(Function) as unknown },
    ],
    [
      'crawl http://a/ --rounds 1 --top-n 2 --max-pages 3 --max-time 1.5h --depth 0 --stay any --threads 9'.split(' '),
      'crawl',
      { rounds: 1, topN: 2, maxPages: 3, maxSeconds: 5400, depth: 0, stay: 'any', threads: 9 },
    ],
  ])('%j', async (args, name, options) => {
    stub.report = { batchId: 'b1' };
    expect((await runLine(args)).code).toBe(0);
    expect(called(name)).toEqual(options);
    expect(stub.closed).toBe(1);
  });

  test('table create: messages go to standard error, the lines for the HBase shell to standard output', async () => {
    const made = await runLine(['table', 'create', 'hbase://a:1,b:2/ns:x', '--slots', '32', '--splits', '1']);
    expect(called('createTable')).toEqual({ table: 'hbase://a:1,b:2/ns:x', slots: 32, splits: 1 });
    expect(made.out).toBe("split 'default:x_frontier', '08'\n");
    expect(made.err).toContain('created default:x_webpage');
    const there = await runLine(['table', 'create', 'hbase://a/x', '--slots', '64', '--if-missing']);
    expect(stub.calls.at(-1)?.options).toEqual({ table: 'hbase://a/x', slots: 64, ifMissing: true });
    expect(there.err).toContain(
      'The table was made with 16 slots, and this cannot be changed; --slots 64 has no effect.',
    );
    const json = await runLine(['table', 'create', 'hbase://a/x', '--json']);
    expect(JSON.parse(json.out)).toMatchObject({ slots: 16 });
    expect((await runLine(['table', 'create', 'hbase://a/x', '--slots', '0'])).code).toBe(64);
  });

  test('scope: patterns in order, and the folders of the seeds', async () => {
    await runLine('crawl http://a/ --stay path --include /docs/ --exclude a --exclude b$ --include /x'.split(' '));
    expect(called('crawl')).toEqual({ stay: 'path', include: ['/docs/', '/x'], exclude: ['a', 'b$'] });
  });

  test.each([
    ['crawl', 'http://a/'],
    ['fetch', 'b1'],
  ])('%s: its options on requests become settings', async (verb, argument) => {
    const set = ['--set', 'fetcher.serverDelay=9', '--set', 'http.timeout=5'];
    const flags = ['--delay', '0.5', '--agent', 'mybot', '-H', 'From: me@a.b', '-H', 'X-Way:a: b'];
    await runLine([verb, argument, ...set, ...flags]);
    expect(called('openContext')?.settings).toEqual({
      'http.timeout': '5',
      'fetcher.serverDelay': 0.5,
      'fetcher.serverMinDelay': 0.5,
      'http.agentName': 'mybot',
      'http.headers': { From: 'me@a.b', 'X-Way': 'a: b' },
    });
    expect(called(verb)).not.toHaveProperty('delay');
  });

  test('global options work before and after the verb', async () => {
    const globals = ['--table', 'level:x', '--set', 'http.timeout=5', '--set', 'http.timeLimitMs=6', '-q'];
    for (const args of [
      [...globals, 'repair'],
      ['repair', ...globals],
    ]) {
      resetStub();
      const { code, out, err } = await runLine(args);
      expect([code, out, err]).toEqual([0, '', '']);
      const settings = { 'http.timeout': '5', 'http.timeLimitMs': '6' };
      expect(called('openContext')).toMatchObject({
        name: 'repair',
        alone: true,
        table: 'level:x',
        create: false,
        env: {},
        settings,
      });
    }
  });

  test('the table: flag, else WEBCRAWL_TABLE, else the default', async () => {
    await runLine(['repair', '--table', 'level:flag'], testIo({ env: { WEBCRAWL_TABLE: 'level:env' } }));
    await runLine(['repair'], testIo({ env: { WEBCRAWL_TABLE: 'level:env' } }));
    await runLine(['repair'], testIo({ env: { WEBCRAWL_TABLE: '' } }));
    const tables = stub.calls.filter(({ name }) => name === 'openContext').map(({ options }) => options.table);
    expect(tables).toEqual(['level:flag', 'level:env', 'level:./webcrawl-data']);
  });

  test('a value may contain an equals sign, and the last of two values wins', async () => {
    await runLine(['repair', '--set', 'http.agentUrl=http://x/?a=1', '--set', 'http.agentUrl=http://x/?a=2']);
    expect(called('openContext')?.settings).toEqual({ 'http.agentUrl': 'http://x/?a=2' });
  });
});

describe('a log of pages', () => {
  const note = { time: 0, url: 'http://a.com/', status: 'fetched', code: 'success', from: 'seed', batchId: '1-2' };
  const line = JSON.stringify({ ...note, time: '1970-01-01T00:00:00.000Z' });
  beforeEach(() => {
    stub.run = (options) => (options as { onFetched?: (page: typeof note) => void }).onFetched?.(note);
  });

  test.each([
    ['crawl', 'http://a.com/'],
    ['fetch', 'b1'],
  ])('%s writes it in place of the progress, or to a file', async (...verb) => {
    expect(await runLine([...verb, '-q', '--log', 'jsonl'])).toMatchObject({ code: 0, err: `${line}\n` });
    const file = join(folder, `${verb[0]}.jsonl`);
    for (let times = 0; times < 2; times++) await runLine([...verb, '--log', `jsonl:${file}`]);
    expect(await readFile(file, 'utf8')).toBe(`${line}\n${line}\n`);
    expect((await runLine([...verb, '-q'])).err).toBe('');
  });

  test('is refused in other forms and at other places', async () => {
    const wrong = await runLine(['fetch', 'b1', '--log', 'text']);
    expect([wrong.code, wrong.err]).toEqual([64, expect.stringContaining('not jsonl or jsonl:<file>')]);
    const none = await runLine(['fetch', 'b1', '--log', `jsonl:${join(folder, 'none/x')}`]);
    expect([none.code, none.err]).toEqual([ERROR_CODES.BAD_OUTPUT.exitCode, expect.stringContaining('ENOENT')]);
    expect(stub.calls).toEqual([]);
  });

  test.runIf(existsSync('/dev/full'))('ends on a full disk with one message, and the crawl continues', async () => {
    stub.run = async (options) => {
      for (let n = 0; n < 3; n++) {
        (options as { onFetched?: (page: typeof note) => void }).onFetched?.(note);
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const { code, err } = await runLine(['fetch', 'b1', '-q', '--log', 'jsonl:/dev/full']);
    expect(code).toBe(0);
    expect(err).toMatch(/^The log \/dev\/full ends here, and the crawl continues: ENOSPC[^\n]*\n$/);
  });
});

describe('backup', () => {
  test('does not open the table itself, prints the path, and describes the content', async () => {
    const { code, out, err } = await runLine(['backup', '/backup', '--table', 'level:data', '--wait', '3']);
    expect([code, out]).toEqual([0, '/backup/20261126T031200Z\n']);
    expect(err).toBe('Backup of 12 files of 30 MB, of these 7 files of 20 MB shared.\n');
    expect(stub.calls).toEqual([
      { name: 'backupTable', options: { table: 'level:data', to: '/backup', waitSeconds: 3 } },
    ]);
    expect((await runLine(['backup', '/backup', '-q'])).err).toBe('');
    expect(JSON.parse((await runLine(['backup', '/backup', '--json'])).out)).toMatchObject({ files: 12 });
  });
});

describe('repair of files', () => {
  test('says what it would do, without opening the table', async () => {
    const { code, out, err } = await runLine(['repair', '--files', '--table', 'level:data']);
    expect([code, err]).toEqual([0, '']);
    expect(called('repairFiles')).toEqual({ table: 'level:data', dryRun: true });
    expect(called('openContext')).toBeUndefined();
    expect(out).toContain('12.3 MB to /x/data/before-repair-1');
    expect(out).toMatch(/^hot +hot\/CURRENT is missing; rebuilt from its files$/m);
    expect(out).toContain('Nothing was changed. The same command with --yes repairs the files.');
  });

  test('with --yes repairs the files, and then rebuilds the indexes', async () => {
    const { code, out, err } = await runLine(['repair', '--files', '--yes']);
    expect([code, out]).toEqual([0, '']);
    expect(stub.calls.map(({ name }) => name)).toEqual(['repairFiles', 'openContext', 'repair']);
    expect(called('repairFiles')).toMatchObject({ dryRun: false });
    expect(err).toContain('Remove the copy when the table works again.');
  });

  test('is one JSON object with --json', async () => {
    const plan = await runLine(['repair', '--files', '--json']);
    expect(JSON.parse(plan.out)).toMatchObject({ done: false, bytes: 12_345_678 });
    const { out } = await runLine(['repair', '--files', '--yes', '--json']);
    expect(JSON.parse(out)).toMatchObject({
      job: 'repair',
      files: { done: true, parts: [{}, { step: 'rebuild' }] },
    });
  });

  test('takes --yes only with --files', async () => {
    const { code, err } = await runLine(['repair', '--yes']);
    expect(code).toBe(ERROR_CODES.USAGE.exitCode);
    expect(err).toContain('--yes needs --files');
    expect(stub.calls).toEqual([]);
  });
});

describe('seeds', () => {
  test('URLs, files and standard input, in order', async () => {
    const file = join(folder, 'seeds.txt');
    await writeFile(file, '\ufeffhttp://file/1\tscore=2\r\n\n# note\nhttp://file/ü');
    const bytes = new TextEncoder().encode('http://in/1\nhttp://in/é\n');
    const cut = bytes.length - 2;
    const io = testIo({ stdin: [bytes.slice(0, cut), bytes.slice(cut)] });
    const { code } = await runLine(['inject', 'HTTPS://Arg/\tscore=1', file, '-'], io);
    expect(code).toBe(0);
    expect(stub.seeds).toEqual([
      'HTTPS://Arg/\tscore=1',
      'http://file/1\tscore=2',
      '',
      '# note',
      'http://file/ü',
      'http://in/1',
      'http://in/é',
    ]);
    // Only seeds on the command line are retried if they were denied before.
    expect(stub.retried).toEqual(['HTTPS://Arg/\tscore=1']);
  });

  test('a file in UTF-16 is recognised and refused, with a hint', async () => {
    const file = join(folder, 'wide.txt');
    const wide = Buffer.from('http://a/\n', 'utf16le');
    for (const bytes of [Buffer.concat([Buffer.of(0xff, 0xfe), wide]), wide, Buffer.from(wide).swap16()]) {
      resetStub();
      await writeFile(file, bytes);
      const { code, err } = await runLine(['inject', file]);
      expect(code).toBe(ERROR_CODES.BAD_INPUT.exitCode);
      expect(err).toContain(`${file} is in UTF-16, not in UTF-8`);
      expect(err).toContain('hint: save it as UTF-8');
      expect(stub.seeds).toEqual([]);
    }
    const io = testIo({ stdin: [Buffer.of(0xfe), Buffer.of(0xff), Buffer.from(wide).swap16()] });
    expect((await runLine(['inject', '-'], io)).err).toContain('standard input is in UTF-16, not in UTF-8');
  });

  test.each([
    ['\n<?xml version="1.0"?><urlset/>', 'XML', 'if it is a sitemap or a feed: webcrawl inject --sitemap FILE\n'],
    ['\u001f\u008b\b', 'gzip data', 'webcrawl inject --sitemap FILE\n'],
    ['{"url":"http://a/"}\n', 'JSON', "jq -r '.url' FILE | webcrawl inject -\n"],
    ['  ["http://a/"]', 'JSON', "jq -r '.[]' FILE | webcrawl inject -\n"],
  ])('a file of another kind is recognised and refused, with a hint: %j', async (text, found, cure) => {
    const file = join(folder, 'else');
    await writeFile(file, Buffer.from(text, 'latin1'));
    for (const verb of ['inject', 'crawl']) {
      const { code, err } = await runLine([verb, file]);
      expect(code).toBe(ERROR_CODES.BAD_INPUT.exitCode);
      expect(err).toContain(`${file} is ${found}, not a list of seeds`);
      expect(err).toContain(cure.replace('FILE', file));
    }
    const { err } = await runLine(['inject', '-'], testIo({ stdin: [Buffer.from(text, 'latin1')] }));
    expect(err).toContain(`standard input is ${found}, not a list of seeds`);
    expect(err).toContain(cure.replace(/FILE/, '-').replace(/' - \|/, "' |"));
    expect(stub.seeds.filter((seed) => seed.trim() !== '')).toEqual([]);
  });

  test.each([
    ['missing.txt', 'missing.txt: there is no such file'],
    ['/lost/missing.txt', '/lost/missing.txt: there is no such file'],
    ['missing', 'missing: this is neither a URL nor a file of seeds'],
    ['ftp://example.com/', 'ftp://example.com/: only http and https URLs can be crawled'],
    ['http://[', 'http://[: this is not a valid URL'],
    [tmpdir(), 'this is a directory, not a file of seeds'],
  ])('%s is refused before a table is opened', async (seed, expected) => {
    for (const verb of ['inject', 'crawl']) {
      const { code, err } = await runLine([verb, 'http://a/', seed]);
      expect(code).toBe(ERROR_CODES.BAD_INPUT.exitCode);
      expect(err).toContain(`error [BAD_INPUT]: ${seed}`);
      expect(err).toContain(expected);
      expect(stub.calls).toEqual([]);
    }
  });

  test('rejected lines are reported with their position, at most twenty', async () => {
    const file = join(folder, 'bad.txt');
    await writeFile(file, `http://a/\nwrong \u001b[2J\n${'wrong\n'.repeat(30)}`);
    const { code, err } = await runLine(['inject', 'http://x/wrong', file, '-', '-q'], testIo({ stdin: ['a\nwrong'] }));
    expect(code).toBe(0);
    const lines = err.trimEnd().split('\n');
    expect(lines).toHaveLength(21);
    expect(lines[0]).toBe('seed rejected: http://x/wrong (expected better)');
    expect(lines[1]).toBe(`seed rejected, ${file}:2: wrong \\u001b[2J (expected better)`);
    expect(lines[20]).toBe('more rejected seeds are only counted');
    resetStub();
    const other = await runLine(['crawl', '-'], testIo({ stdin: ['a\nwrong'] }));
    expect(other.err).toContain('seed rejected, standard input:2: wrong');
  });

  test('an endless line', async () => {
    const endless = Array.from({ length: 20 }, () => 'x'.repeat(100_000));
    const { code, err } = await runLine(['inject', '-'], testIo({ stdin: endless }));
    expect(code).toBe(ERROR_CODES.BAD_INPUT.exitCode);
    expect(err).toContain('has a line of more than 1000000 characters');
    expect(stub.closed).toBe(1);
  });
});

describe('output', () => {
  test('generate prints the batch id alone, the summary goes to standard error', async () => {
    stub.report = { batchId: '17-ab', counters: { selected: 1500 } };
    const { out, err } = await runLine(['generate']);
    expect(out).toBe('17-ab\n');
    expect(err).toBe('generate 17-ab: 1.5 s\n  selected  1,500\n');
    expect(await runLine(['generate', '-q'])).toEqual({ code: 0, out: '17-ab\n', err: '' });
  });

  test('generate without due pages says so and exits with 1', async () => {
    expect(await runLine(['generate'])).toEqual({ code: 1, out: '', err: 'generate: 1.5 s\nNothing is due.\n' });
    const json = await runLine(['generate', '--json']);
    expect(json.code).toBe(1);
    expect(JSON.parse(json.out)).toEqual({ job: 'generate', seconds: 1.5, counters: {} });
    expect(await runLine(['generate', '-q'])).toEqual({ code: 1, out: '', err: '' });
  });

  test('with --json a job prints one object', async () => {
    stub.report = { batchId: 'b', counters: { fetched: 2 } };
    const { out, err } = await runLine(['fetch', 'b', '--json']);
    expect(out.trim().split('\n')).toHaveLength(1);
    expect(JSON.parse(out)).toEqual({ job: 'fetch', batchId: 'b', seconds: 1.5, counters: { fetched: 2 } });
    expect(err).toBe('');
  });

  test('an interrupted job reports, and exits with 130', async () => {
    const io = testIo();
    stub.run = ({ signal }) => {
      io.stop.abort();
      expect(signal?.aborted).toBe(true);
    };
    stub.report = { interrupted: true, counters: { fetched: 1 } };
    const { code, err } = await runLine(['fetch', '--all'], io);
    expect(code).toBe(130);
    expect(err).toContain('fetched  1');
    expect(err).toContain('The same command continues from here.');
    stub.run = undefined;
    expect((await runLine(['generate'])).code).toBe(130);
  });

  test('untrusted text is escaped', async () => {
    stub.report = { counters: { '\u001b[2Jevil': 1 } };
    const { err } = await runLine(['repair']);
    expect(err).toContain('\\u001b[2Jevil');
    stub.rows = [{ key: 'k', title: '\u202e\u001b[2J\u009b"' }];
    for (const args of [
      ['readdb', '--dump'],
      ['readdb', '--url', 'http://a/'],
      ['readdb', '--url', 'x', '--json'],
    ]) {
      const { out } = await runLine(args);
      expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
      expect(JSON.parse(out)).toEqual(stub.rows[0]);
    }
  });
});

describe('readdb', () => {
  test('--stats', async () => {
    const { code, out, err } = await runLine(['readdb', '--stats']);
    expect([code, err]).toEqual([0, '']);
    expect(out.split('\n').map((line) => line.trim().split(/ {2,}/))).toEqual([
      ['pages', '1,234'],
      ['fetched', '1,000'],
      ['gone', '234'],
      ['failed 2 times in a row', '34'],
      ['score', '0 to 1, mean 0.5'],
      ['open batches', '1'],
      ['17-ab', 'open, 5,000 pages'],
      [''],
    ]);
    expect(JSON.parse((await runLine(['readdb', '--stats', '--json'])).out)).toMatchObject({ total: 1234 });
  });

  test('--url of a page that is not in the table', async () => {
    const { code, out, err } = await runLine(['readdb', '--url', 'http://a/']);
    expect([code, out]).toEqual([1, '']);
    expect(err).toBe('The table has no page http://a/\n');
  });

  /** A dump is an export of all selected rows, as JSON Lines. */
  const DUMPED = { all: true, format: 'jsonl', output: '-' };

  test('--dump passes on the selection, and waits for a slow reader', async () => {
    stub.rows = Array.from({ length: 5 }, (_, i) => ({ key: `k${i}` }));
    const io = testIo();
    io.stdout.full = 3;
    const args = ['readdb', '--dump', '--host', 'a', '--status', 'gone', '--fields', 'title, score'];
    const { code, out } = await runLine(args, io);
    expect(code).toBe(0);
    expect(out).toBe('{"key":"k0"}\n{"key":"k1"}\n{"key":"k2"}\n{"key":"k3"}\n{"key":"k4"}\n');
    expect(io.stdout.waits).toBe(3);
    expect(called('exportPages')).toEqual({ ...DUMPED, host: 'a', status: ['gone'], fields: ['title', 'score'] });
  });

  test('--dump passes on the order, and prints all lines of a page', async () => {
    stub.rows = [{ key: 'k' }];
    const args = 'readdb --dump --sort fetchMs:asc --limit 3 --each outlinks'.split(' ');
    const { code, out } = await runLine(args);
    expect([code, out]).toEqual([0, '{"key":"k"}\n']);
    expect(called('exportPages')).toEqual({ ...DUMPED, sort: 'fetchMs:asc', limit: 3, each: 'outlinks' });
  });

  test('--dump takes types separated by commas and in several --type options', async () => {
    await runLine(['readdb', '--dump', '--type', 'Product, Offer', '--type', 'Article']);
    await runLine(['export', 'pages', '-o', join(folder, 'x.jsonl'), '--type', 'Product']);
    const exports = stub.calls.filter(({ name }) => name === 'exportPages');
    expect(exports).toMatchObject([
      { options: { type: ['Product', 'Offer', 'Article'] } },
      { options: { type: ['Product'] } },
    ]);
  });

  test('--dump stops at a signal', async () => {
    stub.rows = [{ key: 'k' }];
    const io = testIo();
    io.stop.abort();
    expect(await runLine(['readdb', '--dump'], io)).toEqual({ code: 130, out: '', err: '' });
    expect(stub.closed).toBe(1);
  });

  test.each([
    [[], 'one of --stats, --url and --dump is missing'],
    [['--stats', '--dump'], '--stats, --url and --dump cannot be combined'],
    [['--dump', '--host', 'a', '--domain', 'b'], '--host, --domain and --prefix cannot be combined'],
    [['--stats', '--host', 'a'], 'need --dump'],
    [['--url', 'x', '--status', 'gone'], 'need --dump'],
    [['--stats', '--fields', 'title'], '--fields needs'],
    [['--dump', '--fields', 'titel'], '--fields titel: titel is unknown; did you mean title?'],
    [['--dump', '--fields', ''], 'a name is missing'],
    [['--dump', '--fields', 'id'], '--fields id: id is unknown\n'],
    [['--dump', '--status', 'lost'], '--status lost: lost is unknown; known names are unfetched, fetched'],
    [['--dump', '--fetched-since', '31-01-2026'], 'not a time such as 2026-01-31'],
    [['--dump', '--fetched-since', '2026-02-30'], 'not a time such as 2026-01-31'],
    [['--dump', '--due-before', '2026-13-01'], 'not a time such as'],
    [['--dump', '--sort', 'score'], '--limit of at most 100000'],
    [['--dump', '--sort', 'score', '--limit', '100001'], '--limit of at most 100000'],
    [['--dump', '--sort', 'text', '--limit', '1'], '--sort text: not one of score, rank'],
    [['--dump', '--sort', 'score:up', '--limit', '1'], 'with or without :asc or :desc'],
    [['--url', 'x', '--each', 'inlinks'], 'need --dump'],
    [['--url', 'x', '--type', 'Product'], 'need --dump'],
    [['--dump', '--limit', '0'], 'at least 1'],
    [['--url', 'x', '--format', 'csv'], 'need --dump'],
    [['--dump', '--format', 'csv', '--json'], '--format csv and --json cannot be combined'],
    [['--dump', '--raw'], '--raw needs --url'],
    [['--url', 'x', '--raw', '--fields', 'title'], '--fields cannot be used'],
    [['--url', 'x', '--output', 'y'], '--output needs'],
    [['--dump', '--force'], '--force needs --output'],
  ])('%j is refused', async (args, expected) => {
    const { code, err } = await runLine(['readdb', ...args]);
    expect(code).toBe(ERROR_CODES.USAGE.exitCode);
    expect(err).toContain(expected);
    expect(stub.calls).toEqual([]);
  });
});

describe('config', () => {
  test('shows the settings in force and their origin, without opening a table', async () => {
    const file = join(folder, 'settings.json');
    await writeFile(file, '{"generate": {"maxCount": 5}}');
    const io = testIo({ env: { WEBCRAWL_HTTP_TIMEOUT: '9' } });
    const { code, out } = await runLine(['config', '--config', file, '--set', 'http.agentName=zz'], io);
    expect(code).toBe(0);
    expect(out).toMatch(/^http\.agentName +"zz" {2}\(option\)$/m);
    expect(out).toMatch(/^http\.timeout +9 {2}\(environment WEBCRAWL_HTTP_TIMEOUT\)$/m);
    expect(out).toContain(`5  (file ${file})`);
    expect(out).toMatch(/^fetcher\.serverDelay +1 {2}\(default\)$/m);
    expect(stub.calls).toEqual([]);
    const json = JSON.parse((await runLine(['config', '--json'])).out) as Record<string, unknown>;
    expect(json['fetcher.serverDelay']).toEqual({ value: 1, source: 'default' });
  });

  test('shows no password', async () => {
    const env = {
      WEBCRAWL_HTTP_CREDENTIALS: '{"https://example.com":"me:topsecret"}',
      WEBCRAWL_HTTP_COOKIES: '{"https://example.com":"session=topsecret"}',
      WEBCRAWL_HTTP_PROXY: 'http://me:topsecret@proxy.example:3128',
    };
    const { out } = await runLine(['config'], testIo({ env }));
    expect(out).toMatch(/^http\.credentials +\{"https:\/\/example\.com":"\*\*\*"\} {2}\(environment /m);
    expect(out).toMatch(/^http\.proxy +"http:\/\/\*\*\*@proxy\.example:3128" {2}\(environment /m);
    for (const args of [
      ['config', '--json'],
      ['config', '-v'],
    ]) {
      const all = await runLine(args, testIo({ env }));
      expect([out, all.out, all.err].join()).not.toContain('topsecret');
    }
    const wrong = await runLine(
      [
        'config',
        '-v',
        '--set',
        'http.credentials={"https://example.com":"topsecret"}',
        '--set',
        'http.proxy=topsecret',
      ],
      testIo({ env: { WEBCRAWL_HTTP_COOKIES: '{"https://example.com": topsecret}' } }),
    );
    expect(wrong.code).toBe(ERROR_CODES.BAD_SETTING.exitCode);
    expect(wrong.err).toContain('3 settings are wrong');
    expect(wrong.out + wrong.err).not.toContain('topsecret');
  });

  test('--describe', async () => {
    const { out } = await runLine(['config', '--describe']);
    expect(out).toContain(
      'generate.maxCount: whole number of at least -1, default -1\n    Maximum number of pages of one host',
    );
    expect(JSON.parse((await runLine(['config', '--describe', '--json'])).out)).toBeInstanceOf(Array);
  });

  test('wrong settings are listed line by line', async () => {
    const { code, err } = await runLine(['config', '--set', 'http.timeout=x', '--set', 'a\u001bb=1']);
    expect(code).toBe(ERROR_CODES.BAD_SETTING.exitCode);
    expect(err.split('\n')).toEqual([
      'error [BAD_SETTING]: 2 settings are wrong:',
      '  a\\u001bb (option): no such setting',
      '  http.timeout (option): expected a whole number of at least 1, found "x"',
      expect.stringContaining('hint: '),
      '',
    ]);
  });
});

describe('wrong usage gives USAGE and a hint', () => {
  test.each([
    [['nosuch'], "unknown command 'nosuch'"],
    [['help', 'nosuch'], "unknown command 'nosuch'"],
    [['fecth', 'x'], 'Did you mean fetch?'],
    [['stats', 'prefixes'], 'stats is now called prefixes'],
    [['crawl', 'http://a.example/', '--watch'], '--watch is now called --continuous'],
    [['generate', '--top'], 'Did you mean --top-n?'],
    [['generate', '--top-n', 'abc'], 'not a whole number of at least 1'],
    [['generate', '--top-n', '0'], 'not a whole number of at least 1'],
    [['generate', '--top-n', '1.5'], 'not a whole number'],
    [['generate', '--top-n', '1e3'], 'not a whole number'],
    [['generate', '--top-n', '99999999999999999999'], 'not a whole number'],
    [['readdb', '--dump', '--fields', 'title,txet'], '--fields title,txet: txet is unknown; did you mean text?'],
    [['readdb', '--dump', '--fields', 'title,zzzzzz'], '--fields title,zzzzzz: zzzzzz is unknown\n'],
    [['generate', '--top-n'], 'argument missing'],
    [['generate', 'extra'], 'too many arguments'],
    [['fetch'], 'no batch id and no --all'],
    [['fetch', 'b', '--all'], 'a batch id and --all cannot be combined'],
    [['parse'], 'no batch id and no --all'],
    [['updatedb'], 'no batch id and no --all'],
    [['crawl'], 'no seeds'],
    [['crawl', '--shard', '2/2'], 'expected a shard i/n'],
    [['crawl', '--shard', '0/2', '--serve'], '--shard and --serve cannot be combined'],
    [['crawl', 'http://a/', '--stay', 'home'], '--stay home: not one of host, domain, path, any'],
    [['crawl', 'http://a/', '--delay', '2s'], '--delay 2s: not a number of seconds'],
    [['crawl', 'http://a/', '-H', 'From'], "--header From: not of the form 'Name: value'"],
    [['generate', '--add-days', '-1'], '--add-days -1: not a whole number of at least 0'],
    [['crawl', 'http://a/', '--max-time', '30'], '--max-time 30: not a number and a unit, such as 90s, 30m'],
    [['crawl', 'http://a/', '--max-time', '0s'], '--max-time 0s: not a number and a unit'],
    [['repair', '--set', 'nothing'], '--set nothing: not of the form key=value'],
    [['repair', '--set', '=x'], '--set =x: not of the form key=value'],
  ])('%j', async (args, expected) => {
    const { code, out, err } = await runLine(args);
    expect([code, out]).toEqual([ERROR_CODES.USAGE.exitCode, '']);
    expect(err).toMatch(/^error \[USAGE\]: /);
    expect(err).toContain(expected);
    expect(err).toContain('hint: ');
    expect(stub.calls).toEqual([]);
  });

  test.each([
    [['nosuch'], 'webcrawl'],
    [['export', 'warcs'], 'webcrawl export'],
    [['audit', 'a.example', '--max-pages', '5'], 'webcrawl audit'],
    [['generate', '--top'], 'webcrawl generate'],
    [['export', 'pages'], 'webcrawl export pages'],
    [['inject'], 'webcrawl inject'],
    [['readdb'], 'webcrawl readdb'],
    [['crawl', '--port', '5', 'http://a/'], 'webcrawl crawl'],
  ])('%j names the help of its command', async (args, command) => {
    expect((await runLine(args)).err).toContain(`hint: see \`${command} --help\`\n`);
  });
});

describe('errors', () => {
  test('a CrawlError gives its code, its hint and its exit status', async () => {
    stub.run = () => {
      throw new CrawlError('UNKNOWN_BATCH', 'expected an open batch, found \u001b[2J', { hint: 'see readdb' });
    };
    const { code, out, err } = await runLine(['fetch', 'b', '--json']);
    expect(code).toBe(ERROR_CODES.UNKNOWN_BATCH.exitCode);
    expect(out).toBe('');
    expect(err).toBe('error [UNKNOWN_BATCH]: expected an open batch, found \\u001b[2J\nhint: see readdb\n');
    expect(stub.closed).toBe(1);
  });

  test('a limit on open files has its own error, for every operation that reaches it', async () => {
    stub.run = () => {
      const cause = Object.assign(new Error('EMFILE: too many open files, open x'), { code: 'EMFILE' });
      throw new Error('cannot load x', { cause });
    };
    const { code, err } = await runLine(['repair']);
    expect(code).toBe(ERROR_CODES.TOO_FEW_FILES.exitCode);
    expect(err).toContain('error [TOO_FEW_FILES]: expected to open another file or connection, found: EMFILE');
    expect(err).toContain('ulimit -n 4096');
  });

  test('anything else is INTERNAL, with a stack only with -v', async () => {
    stub.run = () => {
      throw new TypeError('x is not a function');
    };
    const { code, err } = await runLine(['repair']);
    expect(code).toBe(ERROR_CODES.INTERNAL.exitCode);
    expect(err).toContain('error [INTERNAL]: TypeError: x is not a function\nhint: ');
    expect(err).not.toContain('at ');
    const verbose = await runLine(['repair', '-v']);
    expect(verbose.err).toContain('caused by TypeError: x is not a function\n');
    expect(verbose.err).toContain('run.test.ts');
  });

  test('an error while closing does not hide an earlier one', async () => {
    stub.run = () => {
      throw new CrawlError('STORE_FULL', 'no space');
    };
    stub.closeError = new Error('close failed');
    expect((await runLine(['repair'])).code).toBe(ERROR_CODES.STORE_FULL.exitCode);
    stub.run = undefined;
    const { code, err } = await runLine(['repair']);
    expect(code).toBe(ERROR_CODES.INTERNAL.exitCode);
    expect(err).toContain('close failed');
  });
});

describe('help', () => {
  test('the top level has every verb and examples', async () => {
    const { code, out, err } = await runLine(['--help']);
    expect([code, err]).toEqual([0, '']);
    const verbs = [
      'crawl',
      'inject',
      'generate',
      'fetch',
      'parse',
      'updatedb',
      'readdb',
      'explain',
      'check',
      'config',
      'remove',
      'repair',
    ];
    for (const verb of verbs) expect(out).toMatch(new RegExp(`^ {2}${verb}\\b`, 'm'));
    expect(out).toContain('Examples:');
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(120);
    for (const verb of verbs.filter((verb) => verb !== 'repair')) {
      expect((await runLine([verb, '--help'])).out).toContain('Examples:');
      expect((await runLine(['help', verb])).out).toContain('Global options:');
    }
  });
});

describe('hints beside the counters', () => {
  test.each([
    ['crawl', { known: 1 }, 'No page is due; webcrawl explain <url> tells when'],
    ['crawl', { known: 1, generate_host_backoff: 1 }, 'Some hosts are in back-off'],
    ['crawl', { injected: 1, rounds: 1, host_backoff: 1 }, 'Some hosts are in back-off'],
    ['generate', { host_backoff: 1 }, 'Some hosts are in back-off'],
    ['crawl', { injected: 1, rounds: 1, proxy_failed: 2 }, 'The proxy could not be used for 2 pages'],
    ['crawl', { injected: 1, rounds: 1, proxy_failed: 2 }, 'check http.proxy'],
    ['crawl', { rejected_url: 1 }, 'No seed was accepted, so nothing was crawled.'],
    ['crawl', { malformed: 2 }, 'No seed was accepted, so nothing was crawled.'],
    ['crawl', { rounds: 1 }, 'No seed was accepted.\n'],
    ['crawl', { rounds: 1, rejected_rules: 2 }, 'No seed was accepted.\n'],
    ['crawl', { injected: 1, rounds: 1, time_limit: 1 }, 'The time is over. The remaining pages stay due'],
    ['crawl', { injected: 1, rounds: 1, seeds_denied: 1 }, 'set http.credentials'],
    ['fetch', { time_limit: 2 }, 'The time is over. The remaining pages stay due'],
  ])('%s with %j', async (verb, counters, expected) => {
    stub.report = { counters };
    const args = { crawl: [verb, 'http://a/'], fetch: [verb, '--all'] }[verb] ?? [verb];
    expect((await runLine(args)).err).toContain(expected);
    resetStub();
    stub.report = { counters };
    expect((await runLine([...args, '--quiet'])).err).not.toContain(expected);
  });

  test('a crawl that is stopped before its seeds does not say that none was accepted', async () => {
    stub.report = { counters: {}, interrupted: true };
    expect((await runLine(['crawl', 'http://a/'])).err).not.toContain('No seed was accepted');
  });

  test('the proxy is shown, without its password', async () => {
    stub.report = { counters: { injected: 1, rounds: 1, proxy_failed: 2 } };
    const { err } = await runLine(['crawl', 'http://a/', '--set', 'http.proxy=http://me:topsecret@proxy.example:3128']);
    expect(err).toContain('The proxy at proxy.example:3128 could not be used for 2 pages. These pages stay due');
    expect(err).not.toContain('topsecret');
  });

  test('origins without an answer and a section with most pages of a run are reported', async () => {
    stub.report = {
      counters: { injected: 1, rounds: 1, origins_failed: 3 },
      failedOrigins: [
        { origin: 'https://a.example:8443', code: 'connect_failed', pages: 2 },
        { origin: 'http://b.example', code: 'dns_failed', pages: 1 },
      ],
      largeSection: { prefix: 'https://a.example/cal.end', pages: 950, of: 1000 },
    };
    const { err } = await runLine(['crawl', 'http://a/']);
    expect(err).toContain(
      'No response: https://a.example:8443 (connect_failed, 2 pages), http://b.example (dns_failed, 1 page), and 1 other origin.',
    );
    expect(err).toContain('95 % of the pages of this run are below https://a.example/cal.end.');
    expect(err).toContain(String.raw`--exclude '^https://a\.example/cal\.end([/?]|$)'`);
  });

  test('session ids are reported with ways to remove them', async () => {
    const sessionIds = { parameters: ['sid', 'x.y'], addresses: 5 };
    stub.report = {
      counters: { injected: 1, rounds: 1 },
      largeSection: { prefix: 'https://a.example', pages: 295, of: 300, sessionIds },
    };
    const { err } = await runLine(['crawl', 'http://a/']);
    expect(err).toContain(
      '98 % of the pages of this run are 5 pages of https://a.example with other values of sid, x.y.',
    );
    expect(err).toContain(String.raw`--exclude '[?&;](sid|x\.y)=' excludes such URLs.`);
  });

  test('an endless section is reported once during the crawl, from a thousand pages on', async () => {
    const largeSection = (of: number) => ({ prefix: 'https://a.example/cal', pages: of - 1, of });
    const fetching = { inFlight: 1, threads: 1, waiting: 0, setAside: 0, pages: [], hosts: [] };
    stub.run = ({ onProgress }) => {
      for (const of of [500, 1000, 1001]) {
        const shown = { ...fetching, largeSection: largeSection(of) };
        onProgress?.({ job: 'crawl', done: of, counters: {}, errors: {}, fetching: shown });
      }
    };
    stub.report = { counters: { injected: 1, rounds: 1 } };
    const { err } = await runLine(['crawl', 'http://a/']);
    expect(err.match(/99 % of the pages of this run are below/g)).toHaveLength(1);
  });

  test('a crawl that fetched pages or was stopped gets no hint that no page is due', async () => {
    for (const report of [{ counters: { known: 1, rounds: 1 } }, { counters: { known: 1 }, interrupted: true }]) {
      resetStub();
      stub.report = report;
      expect((await runLine(['crawl', 'http://a/'])).err).not.toContain('No page is due');
    }
  });
});

test('graph: data and a report in JSON do not both go to standard output', async () => {
  const { code, err } = await runLine('graph -o - --level host --format dot --json'.split(' '));
  expect(code).not.toBe(0);
  expect(err).toContain('-o - and --json cannot be combined');
});
