import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeSettings, loadSettings, settingsSchema, type SettingInputs } from '../../config/index.js';
import { CrawlError, ERROR_CODES } from '../../packages/errors/index.js';

let folder: string;
let files = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webcrawl-config-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function settingsFile(content: unknown): Promise<string> {
  const file = join(folder, `settings-${files++}.json`);
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

function failure(places: SettingInputs): CrawlError {
  try {
    loadSettings(places);
  } catch (error) {
    if (error instanceof CrawlError) return error;
    throw error;
  }
  throw new Error('expected an error');
}

describe('precedence', () => {
  test('without input, every setting has its default', () => {
    const { settings, sources } = loadSettings();
    expect(settings).toEqual(settingsSchema.parse({}));
    expect(settings.fetcher.serverDelay).toBe(1);
    for (const { key, default: value } of describeSettings())
      expect(sources[key]).toEqual({ value, source: 'default' });
    expect(Object.keys(sources)).toHaveLength(describeSettings().length);
  });

  test('defaults, file, environment, flags: the later one wins, and is named', async () => {
    const file = await settingsFile({
      http: { agentName: 'file', timeout: 1, timeLimitMs: 5 },
      'generate.maxCount': 7,
      'db.signature': 'textProfile',
    });
    const { settings, sources } = loadSettings({
      file,
      env: { WEBCRAWL_HTTP_AGENTNAME: 'env', WEBCRAWL_HTTP_TIMEOUT: '2' },
      overrides: { 'http.agentName': 'flag' },
    });
    expect(settings.http).toMatchObject({ agentName: 'flag', timeout: 2, timeLimitMs: 5 });
    expect(settings.generate.maxCount).toBe(7);
    expect(sources['http.agentName']).toEqual({ value: 'flag', source: 'option' });
    expect(sources['http.timeout']).toEqual({ value: 2, source: 'environment WEBCRAWL_HTTP_TIMEOUT' });
    expect(sources['http.timeLimitMs']).toEqual({ value: 5, source: `file ${file}` });
    expect(sources['db.signature']).toEqual({ value: 'textProfile', source: `file ${file}` });
    expect(sources['http.accept']?.source).toBe('default');
  });

  test('overrides may be nested, dotted and typed', () => {
    const { settings } = loadSettings({
      overrides: { fetcher: { serverDelay: 0 }, 'generate.restrictStatus': ['gone'], plugins: undefined },
    });
    expect(settings.fetcher.serverDelay).toBe(0);
    expect(settings.generate.restrictStatus).toEqual(['gone']);
  });

  test('the sample file is accepted', () => {
    const file = fileURLToPath(new URL('../../config/webcrawl.sample.json', import.meta.url));
    expect(loadSettings({ file }).settings.generate.maxCount).toBe(100);
  });
});

describe('text', () => {
  test.each([
    ['http.timeout', '1500', 1500],
    ['fetcher.serverDelay', ' .5 ', 0.5],
    ['fetcher.serverDelay', '1e1', 10],
    ['fetcher.maxCrawlDelay', '-1', -1],
    ['fetcher.storeContent', 'False', false],
    ['fetcher.storeContent', '1', true],
    ['http.agentDescription', '12', '12'],
    ['http.robotsAgents', 'a, b,c', ['a', 'b', 'c']],
    ['http.robotsAgents', '', []],
    ['generate.restrictStatus', 'gone,fetched', ['gone', 'fetched']],
    ['partition.urlMode', 'ip', 'ip'],
  ])('%s=%s', (key, text, value) => {
    expect(loadSettings({ overrides: { [key]: text } }).sources[key]).toEqual({ value, source: 'option' });
    const name = `WEBCRAWL_${key.toUpperCase().replace('.', '_')}`;
    expect(loadSettings({ env: { [name]: text } }).sources[key]?.value).toEqual(value);
  });

  test.each([
    ['http.timeout', 'abc', 'expected a whole number of at least 1, found "abc"'],
    ['http.timeout', '1.5', 'expected a whole number of at least 1, found 1.5'],
    ['http.timeout', '', 'found ""'],
    ['http.timeout', '0x10', 'found "0x10"'],
    ['http.timeout', 'Infinity', 'found "Infinity"'],
    ['http.timeout', '1e999', 'expected a whole number of at least 1'],
    ['fetcher.storeContent', 'yes', 'expected true or false, found "yes"'],
    ['fetcher.maxCrawlDelay', '-2', 'expected a number of at least 0 or -1, found -2'],
    ['partition.urlMode', 'hosts', 'expected one of host, domain, ip, found "hosts"'],
    ['db.signature', 'md5', 'expected one of sha1, textProfile, found "md5"; did you mean sha1?'],
    ['generate.restrictStatus', 'gone,retry', 'found ["gone","retry"]'],
    ['http.agentName', 'two words', 'found "two words"'],
    ['http.accept', 'a\r\nX-Evil: 1', 'expected printable ASCII, found "a\\r\\nX-Evil: 1"'],
    ['parser.characterEncodingDefault', 'klingon', 'expected the name of an encoding'],
  ])('%s=%s is rejected', (key, text, expected) => {
    const { code, message } = failure({ overrides: { [key]: text } });
    expect(code).toBe('BAD_SETTING');
    expect(message).toContain(`${key} (option): `);
    expect(message).toContain(expected);
  });

  test('a file has typed values; text is not converted to another type', async () => {
    expect(failure({ file: await settingsFile({ http: { timeout: '5' } }) }).message).toContain('found "5"');
  });
});

describe('environment', () => {
  test('letter case and underscores do not count', () => {
    for (const name of ['WEBCRAWL_GENERATE_MAXCOUNT', 'WEBCRAWL_GENERATE__MAX_COUNT', 'webcrawl_generate_maxCount']) {
      expect(loadSettings({ env: { [name]: '3' } }).settings.generate.maxCount).toBe(3);
    }
  });

  test('no two settings share a variable', () => {
    const folded = describeSettings().map(({ key }) => key.replace('.', '').toLowerCase());
    expect(new Set(folded).size).toBe(folded.length);
  });

  test('two variables for one setting are an error', () => {
    const env = { WEBCRAWL_GENERATE_MAXCOUNT: '1', WEBCRAWL_GENERATE_MAX_COUNT: '2' };
    expect(failure({ env }).message).toContain('given twice, also by environment WEBCRAWL_GENERATE_MAXCOUNT');
  });

  test('an unknown name that looks like a setting is an error; other variables are ignored', () => {
    const foreign = {
      WEBCRAWL_TABLE: 'x',
      WEBCRAWL_REFERENCE: 'x',
      WEBCRAWL_SERVICE_HOST: '10.0.0.1',
      WEBCRAWL_PORT_80_TCP: 'tcp://10.0.0.1:80',
      WEBCRAWL_: 'x',
      WEBCRAWL: 'x',
      PATH: '/bin',
      WEBCRAWL_HTTP_TIMEOUT: undefined,
    };
    expect(loadSettings({ env: foreign }).settings).toEqual(settingsSchema.parse({}));
    expect(failure({ env: { WEBCRAWL_HTTP_FOO: 'x' } }).message).toContain('environment WEBCRAWL_HTTP_FOO');
    expect(failure({ env: { WEBCRAWL_GENERTE_MAXCOUNT: '1' } }).message).toContain('did you mean generate.maxCount?');
  });
});

describe('wrong settings', () => {
  test('all are reported at once, each with its source', async () => {
    const file = await settingsFile({
      http: { agentNme: 'x', timeout: 'soon' },
      'no.such': 1,
      'rank.maxRounds': 9,
      'search.weightLanguage': 1,
      'http.http2': true,
      db: 5,
    });
    const { message, exitCode, hint } = failure({
      file,
      env: { WEBCRAWL_FETCHER_SERVERDELAY: '-1' },
      overrides: { 'generate.maxCount': 'many', 'http.timeout': '7' },
    });
    expect(message.split('\n')).toEqual([
      '9 settings are wrong:',
      `  http.agentNme (file ${file}): no such setting; did you mean http.agentName?`,
      `  no.such (file ${file}): no such setting`,
      `  rank.maxRounds (file ${file}): no such setting; did you mean rank.maxIterations?`,
      `  search.weightLanguage (file ${file}): no such setting; did you mean search.languageBoost?`,
      `  http.http2 (file ${file}): this setting no longer exists, since HTTP/1.1 is always used; remove it`,
      `  db (file ${file}): a section, expected an object of settings`,
      `  http.timeout (file ${file}): expected a whole number of at least 1, found "soon"`,
      '  fetcher.serverDelay (environment WEBCRAWL_FETCHER_SERVERDELAY): expected a number of at least 0, found -1',
      '  generate.maxCount (option): expected a whole number of at least -1, found "many"',
    ]);
    expect(exitCode).toBe(ERROR_CODES.BAD_SETTING.exitCode);
    expect(hint).toContain('config --describe');
  });

  test.each([
    ['generate.max.count', 'generate.maxCount'],
    ['http.agent.name', 'http.agentName'],
    ['fetcher.serverdelay', 'fetcher.serverDelay'],
    ['agentName', 'http.agentName'],
    ['db.max-outlinks-per-page', 'db.maxOutlinksPerPage'],
    ['propose.minUseful', 'propose.minRelevant'],
  ])('%s suggests %s', (wrong, right) => {
    expect(failure({ overrides: { [wrong]: '1' } }).message).toContain(`did you mean ${right}?`);
  });

  test('a setting given twice in one file', async () => {
    const file = await settingsFile({ http: { timeout: 5 }, 'http.timeout': 6 });
    expect(failure({ file }).message).toContain('http.timeout');
    expect(failure({ file }).message).toContain('given twice');
  });

  test('settings that contradict each other', () => {
    const { message } = failure({ overrides: { 'db.fetchIntervalMax': 60, 'http.timeout': 90_000 } });
    expect(message).toContain('db.fetchIntervalMax (option): expected db.fetchIntervalDefault (2592000) not above');
    expect(message).toContain(
      'http.timeout (option): expected http.timeout (90000) not above http.timeLimitMs (60000)',
    );
  });

  test('hostile keys and values are shown escaped and change no prototype', async () => {
    const file = await settingsFile('{"__proto__": {"polluted": 1}, "constructor": {"x": 1}, "a\\u001b[2Jb": 2}');
    const { message } = failure({ file });
    expect(message).toContain('__proto__');
    expect(message).toContain('constructor');
    expect(message).toContain('a\\u001b[2Jb');
    expect(message).not.toContain('\u001b');
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    expect(failure({ overrides: { 'http.agentName': 'x'.repeat(1e6) + ' ' } }).message.length).toBeLessThan(500);
    expect(failure({ overrides: { ['x'.repeat(1e5)]: 1 } }).message.length).toBeLessThan(500);
  });

  test.each([
    ['{"http": ', ' is not JSON'],
    ['[1]', ' is not a JSON object'],
    ['null', ' is not a JSON object'],
    ['', ' is not JSON'],
  ])('a file of %s', async (content, expected) => {
    const { code, message } = failure({ file: await settingsFile(content) });
    expect(code).toBe('BAD_SETTING');
    expect(message).toContain(expected);
  });

  test('a missing file', () => {
    const { code, message } = failure({ file: join(folder, 'missing.json') });
    expect(code).toBe('BAD_INPUT');
    expect(message).toContain('missing.json');
  });
});

describe('paths', () => {
  test('of the file are relative to the file, others to the working directory', async () => {
    const file = await settingsFile({
      urlfilter: { regexFile: 'rules.txt', prefixFile: '' },
      plugins: ['./mine.js', '../other.js', 'a-package', '/abs/x.js'],
    });
    const { settings } = loadSettings({ file, overrides: { 'urlfilter.suffixFile': 'suffixes.txt' } });
    expect(settings.urlfilter.regexFile).toBe(join(folder, 'rules.txt'));
    expect(settings.urlfilter.prefixFile).toBe('');
    expect(settings.urlfilter.suffixFile).toBe(resolve('suffixes.txt'));
    expect(settings.plugins).toEqual([
      join(folder, 'mine.js'),
      join(dirname(folder), 'other.js'),
      'a-package',
      '/abs/x.js',
    ]);
  });

  test('a byte order mark does not matter', async () => {
    const file = await settingsFile(`\ufeff{"http": {"agentName": "bom"}}`);
    expect(loadSettings({ file }).settings.http.agentName).toBe('bom');
  });
});

test.each(['10.0.0.0/33', '10.0.0', '::1/129', '::1/', '10.0.0.0/8/8', 'proxy.example', ''])(
  '%j is no address or range of a trusted proxy',
  (range) => {
    expect(
      failure({ overrides: { serve: { trustedProxies: ['10.0.0.7', '10.0.0.0/8', '2001:db8::/32', range] } } }).message,
    ).toContain('serve.trustedProxies');
    const { settings } = loadSettings({ overrides: { serve: { trustedProxies: ['10.0.0.0/8', '::1', '::/0'] } } });
    expect(settings.serve.trustedProxies).toHaveLength(3);
  },
);

test.each([
  'null',
  '*',
  'www.example.com',
  'https://www.example.com/',
  'https://*.example.com',
  'HTTPS://a.example',
  'https://a.example:443',
  'ftp://a.example',
  '',
])('%j is no origin that a browser sends', (origin) => {
  const allowedOrigins = ['https://www.example.com', 'http://localhost:3000', origin];
  expect(failure({ overrides: { serve: { allowedOrigins } } }).message).toMatch(/serve\.allowedOrigins.*no path/s);
  const { settings } = loadSettings({ overrides: { serve: { allowedOrigins: allowedOrigins.slice(0, 2) } } });
  expect(settings.serve.allowedOrigins).toHaveLength(2);
});
