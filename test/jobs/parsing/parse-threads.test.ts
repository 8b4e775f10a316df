import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { settingsSchema, type Settings } from '../../../config/index.js';
import { createParseThreads, type ParseThreadsOptions } from '../../../packages/jobs/parsing/parse-threads.js';
import { shareParseThreads } from '../../../packages/jobs/parsing/share-parse-threads.js';
import type { JobRun } from '../../../packages/jobs/context.js';
import { NO_SCOPE } from '../../../packages/jobs/scope/crawl-scope.js';
import { parsePage, type PageContent } from '../../../packages/jobs/parsing/parse-page.js';
import { NO_RULES, defaultPlugins, jobs, type Plugin } from '../../../packages/webcrawl/internal.js';
import { readRules } from '../../../packages/webcrawl/plugins/default-plugins.js';
import { randomNumbers, randomWeb, fakeWeb } from '../../support/web/fake-web.js';
import { until } from '../../support/events.js';
import { start } from '../../support/job-steps.js';
import { ROOT } from '../../support/docs/source-files.js';
import { allRows, testCrawl, type TestCrawl } from '../../support/test-crawl.js';

/** Threads cannot run TypeScript, so they load the built code; `npm test` keeps it up to date. */
const built = (path: string): URL => pathToFileURL(join(ROOT, 'dist/packages', path));
const entry = built('jobs/parsing/parse-worker.js');

let folder: string;
beforeAll(async () => {
  expect(existsSync(entry), 'run npm run build').toBe(true);
  folder = await mkdtemp(join(tmpdir(), 'webcrawl-threads-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const closers: (() => Promise<void>)[] = [];
afterAll(() => Promise.all(closers.map((close) => close())));

type TestThreads = Omit<ParseThreadsOptions, 'entry'> & { readonly plugins: readonly Plugin[] };

function threadsOf({ plugins, ...options }: TestThreads) {
  const threads = createParseThreads({ entry, startAfter: 0, ...options });
  closers.push(() => threads.close());
  return { ...threads, plugins };
}

/** Threads with the default plugins, as in `openCrawl`. */
function defaultThreads(settings: Settings, plugins: readonly Plugin[], more: Partial<ParseThreadsOptions> = {}) {
  const input = { settings, rules: readRules(settings), folder };
  const module = built('webcrawl/plugins/page-plugins.js').href;
  const shared = plugins.filter((plugin) => PAGE_PLUGINS.test(plugin.name));
  return threadsOf({ plugins: shared, threads: 2, data: { module, input }, ...more });
}

/** The default plugins that a thread creates too. */
const PAGE_PLUGINS = /^(urlnormalizer|urlfilter|signature|parse)-/;

/** A parser that does what the content of the page says, and a signature. */
const ODD = `
  const robots = { noindex: false, nofollow: false, noarchive: false };
  const acts = {
    hang: () => { for (;;); },
    throw: () => { setTimeout(() => { throw new Error('thrown later'); }); return new Promise(() => {}); },
    reject: () => { void Promise.reject(new Error('rejected')); return new Promise(() => {}); },
    exit: () => process.exit(0),
    memory: () => { const all = []; for (;;) all.push({ a: all.length, b: [all.length] }); },
    regex: () => /^(a+)+$/.test('a'.repeat(50) + 'b'),
  };
  let told = 0;
  export const urlPatterns = () => () => undefined;
  export const pagePlugins = async () => {
    return [
      { name: 'sign', signature: () => 'ab' },
      { name: 'odd', parser: { contentTypes: ['text/odd'], parse({ url, content }) {
        const word = Buffer.from(content).toString();
        return acts[word]?.() ?? { kind: 'success', title: word, text: url, outlinks: [], robots, metadata: { n: String(++told) } };
      } } },
    ];
  };
`;

async function oddThreads(more: Partial<ParseThreadsOptions> = {}, timeout = 0.1) {
  const module = pathToFileURL(join(folder, 'odd.mjs'));
  await writeFile(module, ODD);
  const settings = settingsSchema.parse({ parser: { timeout } });
  const plugins: Plugin[] = [
    { name: 'sign', signature: () => 'ab' },
    { name: 'odd', parser: { contentTypes: ['text/odd'], parse: () => ({ kind: 'failed', code: 'main_thread' }) } },
    {
      name: 'waits',
      parser: {
        contentTypes: ['text/waits'],
        ownTimeout: true,
        parse: () => ({ kind: 'failed', code: 'main_thread' }),
      },
    },
  ];
  const data = { module: module.href, input: {} };
  const parseThreads = threadsOf({ plugins: plugins.slice(0, 2), threads: 1, grace: 1000, data, ...more });
  return { settings, plugins, parseThreads };
}

const page = (content: string, contentType = 'text/odd'): PageContent => ({
  url: 'http://h.com/',
  content: Buffer.from(content),
  contentType,
  headers: {},
  truncated: false,
});

/** Status and title of a page, and the counters. */
type Crawl = { readonly plugins: readonly Plugin[] } & Pick<JobRun, 'settings'> & Partial<Pick<JobRun, 'parseThreads'>>;

const ruleSet = await NO_RULES.current();

async function parse(crawl: Crawl, of: PageContent) {
  const counters: Record<string, number> = {};
  const { parsed, encoded, unset } = await parsePage(
    { parseThreads: undefined, scope: NO_SCOPE, ...crawl },
    { plugins: crawl.plugins, ruleSet },
    of,
    (reason, n = 1) => {
      if (n > 0) counters[reason] = (counters[reason] ?? 0) + n;
    },
  );
  const cells = Object.fromEntries([...encoded].map(([field, cell]) => [field, Buffer.from(cell).toString()]));
  const status = JSON.parse(cells.parseStatus ?? '{}') as { code: string; message?: string };
  return { parsed, cells, unset, counters, status };
}

describe('pages that a thread cannot survive', () => {
  it.each([
    ['hang', 'timeout', 'not done after 0.1 seconds'],
    ['regex', 'timeout', 'not done after 0.1 seconds'],
    ['throw', 'parser_crashed', 'thrown later'],
    ['reject', 'parser_crashed', 'rejected'],
    ['exit', 'parser_crashed', 'the parse thread ended'],
  ])('fail alone, and the others are parsed: %s', async (word, code, message) => {
    const crawl = await oddThreads();
    const words = ['a', word, 'b', 'c', word, 'd'];
    const found = await Promise.all(words.map((content) => parse(crawl, page(content))));
    expect(found.map(({ status }) => status.code)).toEqual(
      words.map((content) => (content === word ? code : 'success')),
    );
    expect(found[1]).toMatchObject({
      parsed: false,
      status: { code, message },
      counters: { [`failed_${code}`]: 1 },
      unset: ['newSignature', 'digest', 'redirectTarget'],
    });
    expect(found.map(({ cells }) => cells.title)).toEqual(['a', undefined, 'b', 'c', undefined, 'd']);
    // Each is parsed once, and the thread that replaced the last dead one goes on.
    expect((await parse(crawl, page('e'))).cells.pageMetadata).toBe('{"n":"2"}');
  });

  it('end the thread if they take too much memory', async () => {
    const limits = { maxOldGenerationSizeMb: 32 };
    const crawl = await oddThreads({ limits, grace: 20_000 });
    expect((await parse(crawl, page('memory'))).status).toMatchObject({
      code: 'parser_crashed',
      message: expect.stringContaining('memory') as string,
    });
    expect((await parse(crawl, page('a'))).status.code).toBe('success');
  });

  it('fail if they cannot be cloned', async () => {
    const crawl = await oddThreads();
    const headers = { x: (() => 1) as unknown as string };
    expect((await parse(crawl, { ...page('a'), headers })).status.code).toBe('parser_crashed');
    expect((await parse(crawl, page('b'))).status.code).toBe('success');
  });
});

describe('the memory of cells', () => {
  it('is used for a later page once it is given back', async () => {
    const crawl = await oddThreads();
    const memory = async (content: string) => {
      const { encoded } = await parsePage(
        { scope: NO_SCOPE, ...crawl },
        { plugins: crawl.plugins, ruleSet },
        page(content),
        () => {},
      );
      return { encoded, text: encoded.decode(['title']).title, bytes: encoded.cells.bytes.length };
    };
    const large = await memory('a'.repeat(50_000));
    expect((await memory('b')).bytes).toBeLessThan(large.bytes);
    crawl.parseThreads.giveBack(large.encoded);
    expect(await memory('c')).toMatchObject({ text: 'c', bytes: large.bytes });
    expect((await memory('d')).bytes).toBeLessThan(large.bytes);
  });
});

describe('onPage that a thread cannot survive', () => {
  it.each(['for (;;);', 'process.exit(0);'])('costs the page its fields and nothing else: %s', async (act) => {
    const module = pathToFileURL(join(folder, `on-page-${act.length}.mjs`));
    const noting = `{ name: 'noting', onPage({ title }) { if (title === 'b') { ${act} } return { title }; } },`;
    await writeFile(module, ODD.replace(/\];\s*};\s*$/, `${noting} ]; };`));
    const plugins: Plugin[] = ['sign', 'odd', 'noting'].map((name) => ({
      name,
      ...(name === 'sign' && { signature: () => 'ab' }),
      ...(name === 'odd' && {
        parser: { contentTypes: ['text/odd'], parse: () => ({ kind: 'failed', code: 'none' }) },
      }),
      ...(name === 'noting' && { onPage: () => undefined }),
    }));
    const data = { module: module.href, input: {} };
    const parseThreads = threadsOf({ plugins, threads: 1, grace: 1000, data });
    const crawl = { settings: settingsSchema.parse({ parser: { timeout: 0.1 } }), plugins, parseThreads };
    const found = await Promise.all(['a', 'b', 'c'].map((content) => parse(crawl, page(content))));
    expect(found.map(({ cells }) => [cells.title, cells.custom])).toEqual([
      ['a', '{"title":"a"}'],
      ['b', undefined],
      ['c', '{"title":"c"}'],
    ]);
    expect(found[1]!.counters).toEqual({ parsed: 1, on_page_failed: 1 });
    expect(found[1]!.unset).toContain('custom');
  });
});

describe('the line of a thread', () => {
  /** Counts the pages that its thread has parsed, in shared memory. */
  const COUNTING = `
    export const urlPatterns = () => () => undefined;
    export const pagePlugins = async (done) => [
      { name: 'sign', signature: () => 'ab' },
      { name: 'odd', parser: { contentTypes: ['text/odd'], parse() {
        Atomics.add(done, 0, 1);
        Atomics.notify(done, 0);
        return { kind: 'failed', code: 'none' };
      } } },
    ];
  `;

  async function parsedWhileMainIsBusy(content: string, pages: number, expected: number): Promise<number> {
    const module = pathToFileURL(join(folder, 'counting.mjs'));
    await writeFile(module, COUNTING);
    const done = new Int32Array(new SharedArrayBuffer(4));
    const crawl = await oddThreads({ data: { module: module.href, input: done } }, 60);
    await parse(crawl, page(content));
    const all = Array.from({ length: pages }, () => parse(crawl, page(content)));
    // Before this returns, the main thread neither sends a page nor receives an answer.
    for (let now = Atomics.load(done, 0); now < 1 + expected; now = Atomics.load(done, 0)) {
      if (Atomics.wait(done, 0, now, 10_000) === 'timed-out') break;
    }
    // One more page would follow within a millisecond.
    Atomics.wait(done, 0, 1 + expected, 500);
    const parsed = Atomics.load(done, 0) - 1;
    await Promise.all(all);
    expect(Atomics.load(done, 0)).toBe(1 + pages);
    return parsed;
  }

  it('has enough pages while the main thread is busy', async () => {
    expect(await parsedWhileMainIsBusy('x', 40, 40)).toBe(40);
  });

  it('takes no more pages when it has enough bytes, but always takes two pages', async () => {
    expect(await parsedWhileMainIsBusy('x'.repeat(1_000_000), 5, 2)).toBe(2);
  });
});

describe('pages that the caller parses', () => {
  const inMain = { status: { code: 'main_thread' }, counters: { failed_main_thread: 1 } };

  it('are the first ones, until they are worth a thread', async () => {
    const crawl = await oddThreads({ startAfter: 10 });
    expect(await parse(crawl, page('12345'))).toMatchObject(inMain);
    expect(await parse(crawl, page('67890'))).toMatchObject(inMain);
    expect((await parse(crawl, page('x'))).cells.title).toBe('x');
  });

  it('include those of a parser with its own time limit, of other plugins, and without content', async () => {
    const crawl = await oddThreads();
    expect(await parse(crawl, page('x', 'text/waits'))).toMatchObject(inMain);
    const others = crawl.plugins.map((plugin) => ({ ...plugin }));
    expect(await parse({ ...crawl, plugins: others }, page('x'))).toMatchObject({
      ...inMain,
      counters: { failed_main_thread: 1, parsed_in_main_thread: 1 },
    });
    expect((await parse(crawl, { ...page(''), content: undefined })).status.code).toBe('missing_content');
  });

  it.each([
    ['is not there', undefined],
    ['throws', 'throw new Error("no")'],
    ['is never done', 'for (;;);'],
    ['makes no plugins', 'export const pagePlugins = () => Promise.reject(new Error("no"));'],
  ])('are all pages if the module of the plugins %s', async (name, source) => {
    const module = pathToFileURL(join(folder, `${name.replaceAll(' ', '-')}.mjs`));
    if (source !== undefined) await writeFile(module, source);
    const crawl = await oddThreads({ data: { module: module.href, input: {} }, startLimit: 500 });
    const counters = { failed_main_thread: 1, parse_thread_failed: 1 };
    const found = await Promise.all(['a', 'b', 'c', 'd'].map((content) => parse(crawl, page(content))));
    for (const answer of found) expect(answer).toMatchObject({ ...inMain, counters });
    expect(await parse(crawl, page('x'))).toMatchObject(inMain);
  });

  it('include those that threads had when they were closed', async () => {
    const crawl = await oddThreads({}, 60);
    await parse(crawl, page('a'));
    const hanging = ['hang', 'hang', 'hang'].map((content) => parse(crawl, page(content)));
    await crawl.parseThreads.close();
    for (const answer of await Promise.all(hanging)) expect(answer).toMatchObject({ status: { code: 'main_thread' } });
    expect((await parse(crawl, page('a'))).status.code).toBe('main_thread');
    await crawl.parseThreads.close();
  });
});

/** How many pages the thread of a page has parsed so far. */
async function nthPage(crawl: Crawl): Promise<string | undefined> {
  return (await parse(crawl, page('a'))).cells.pageMetadata;
}

describe('threads of several crawls', () => {
  it('are shared by crawls with the same options until the last one closes them', async () => {
    const { settings, plugins } = await oddThreads();
    const data = { module: pathToFileURL(join(folder, 'odd.mjs')).href, input: {} };
    const open = (more: Partial<ParseThreadsOptions> = {}) => {
      const shared = plugins.slice(0, 2);
      const parseThreads = shareParseThreads(shared, { entry, startAfter: 0, threads: 1, data, ...more });
      return { settings, plugins, parseThreads };
    };
    const [first, second, other] = [open(), open(), open({ grace: 1 })];
    expect([await nthPage(first), await nthPage(second), await nthPage(other)]).toEqual(
      ['1', '2', '1'].map((n) => `{"n":"${n}"}`),
    );
    await other.parseThreads.close();
    await first.parseThreads.close();
    await first.parseThreads.close();
    expect((await parse(first, page('a'))).status.code).toBe('main_thread');
    expect(await nthPage(second)).toBe('{"n":"3"}');
    await second.parseThreads.close();
    const third = open();
    expect(await nthPage(third)).toBe('{"n":"1"}');
    await third.parseThreads.close();
  });

  it('are not those that could not be started', async () => {
    const { settings, plugins } = await oddThreads();
    const data = { module: pathToFileURL(join(folder, 'comes-later.mjs')).href, input: {} };
    const open = () => ({
      settings,
      plugins,
      parseThreads: shareParseThreads(plugins.slice(0, 2), { entry, startAfter: 0, threads: 1, data }),
    });
    const [first, second] = [open(), open()];
    expect((await parse(first, page('a'))).counters).toMatchObject({ parse_thread_failed: 1 });
    await writeFile(new URL(data.module), ODD);
    const third = open();
    expect(await nthPage(third)).toBe('{"n":"1"}');
    for (const { parseThreads } of [first, second]) await parseThreads.close();
    expect(await nthPage(third)).toBe('{"n":"2"}');
    await third.parseThreads.close();
  });

  it('parse the pages of each crawl with its own settings', async () => {
    const settings = settingsSchema.parse({});
    const inside = { ...settings, db: { ...settings.db, ignoreExternalLinks: true } };
    const plugins = defaultPlugins(settings);
    const threads = defaultThreads(settings, plugins, { threads: 1 });
    const of = page('<a href=http://other.com/>x', 'text/html');
    const links = async (crawl: number) => {
      const parseThreads: typeof threads = {
        ...threads,
        parse: (terms, given) => threads.parse({ ...terms, crawl }, given),
      };
      return (await parse({ settings: crawl === 1 ? settings : inside, plugins, parseThreads }, of)).counters;
    };
    const external = { parsed: 1, links_external: 1 };
    expect([await links(1), await links(2), await links(1)]).toEqual([
      { parsed: 1, links: 1 },
      external,
      { parsed: 1, links: 1 },
    ]);
    threads.forget(2);
    expect(await links(2)).toEqual(external);
  });

  it('end when they have no page for a while, and start again', async () => {
    const crawl = await oddThreads({ idleLimit: 1 });
    expect(await nthPage(crawl)).toBe('{"n":"1"}');
    await until(async () => (await nthPage(crawl)) === '{"n":"1"}');
  });
});

/** Writes into each page how often its filter was called before. */
const COUNTED = `
  const robots = { noindex: false, nofollow: false, noarchive: false };
  let calls = 0;
  export const urlPatterns = () => () => undefined;
  export const pagePlugins = async ({ version }) => [
    { name: 'sign', signature: () => 'ab' },
    { name: 'counted', ...(version && { version }), filterUrl: () => { calls += 1; return true; }, parser: { contentTypes: ['text/odd'], parse: () => (
      { kind: 'success', title: String(calls), text: '', outlinks: [{ url: 'http://h.com/menu', anchor: '' }], robots, metadata: {} }
    ) } },
  ];
`;

describe('the answers of a plugin about links of pages that a thread parses', () => {
  it.each([
    ['1', ['0', '1', '1', '1']],
    [undefined, ['0', '1', '2', '3']],
  ])('are cached if it has a version: %s', async (version, titles) => {
    const module = pathToFileURL(join(folder, 'counted.mjs'));
    await writeFile(module, COUNTED);
    const plugins: Plugin[] = [
      { name: 'sign', signature: () => 'ab' },
      {
        name: 'counted',
        parser: { contentTypes: ['text/odd'], parse: () => ({ kind: 'failed', code: 'main_thread' }) },
      },
    ];
    const data = { module: module.href, input: { version } };
    const crawl = {
      settings: settingsSchema.parse({}),
      plugins,
      parseThreads: threadsOf({ plugins, threads: 1, data }),
    };
    const found = [];
    for (let i = 0; i < 4; i++) found.push(await parse(crawl, page('x')));
    expect(found.map(({ cells }) => cells.title)).toEqual(titles);
    for (const { counters } of found) expect(counters).toEqual({ links: 1, parsed: 1 });
  });
});

describe('threads with the plugins of a crawl', () => {
  it('give the same results as the main thread, and do not change the page', async () => {
    const settings = settingsSchema.parse({});
    const plugins = defaultPlugins(settings);
    const crawl = { settings, plugins, parseThreads: defaultThreads(settings, plugins) };
    const random = randomNumbers(3);
    const some = (...from: string[]): string => from[Math.floor(random() * from.length)] ?? '';
    const parts = [
      '<title>Ä &amp; b',
      '<a href="/x?y#z">\ud83d\ude00',
      '<a href=//o.com rel=nofollow>',
      '<p>中',
      '<table>',
    ];
    const more = [
      '<meta name=robots content=noindex>',
      '<meta http-equiv=refresh content="0;url=/r">',
      '\0',
      '<b><i></b>',
    ];
    for (let i = 0; i < 150; i++) {
      const html = Array.from({ length: 1 + Math.floor(random() * 40) }, () => some(...parts, ...more)).join('');
      const content = Buffer.from(html, some('utf8', 'utf16le', 'latin1') as BufferEncoding);
      const of = {
        ...page('', some('text/html', 'text/html', 'text/plain', 'application/xml', 'image/png', '')),
        content,
        headers: random() < 0.5 ? { 'x-robots-tag': 'nofollow' } : {},
        truncated: random() < 0.5,
      };
      const before = Buffer.from(content);
      expect(await parse(crawl, of), html).toEqual(await parse({ settings, plugins }, of));
      expect(before.equals(content)).toBe(true);
    }
  });

  const upper: Plugin = { name: 'no-upper', filterUrl: (url) => !/[A-Z]/.test(url) };
  const folding: Plugin = { name: 'fold', normalizeUrl: (url) => url.replace(/[?].*/, '') };
  const signing: Plugin = { name: 'sign', signature: ({ text }) => String(text.length) };
  const noting: Plugin = { name: 'noting', onPage: ({ title, outlinks }) => ({ title, links: outlinks.length }) };
  it.each<[string, boolean, (defaults: readonly Plugin[]) => readonly Plugin[]]>([
    ['fewer plugins', true, (defaults) => defaults.filter(({ name }) => name !== 'urlfilter-regex')],
    ['another order', true, (defaults) => defaults.toReversed()],
    ['onPage', true, (defaults) => [noting, ...defaults]],
    ['a filter', false, (defaults) => [upper, ...defaults]],
    ['a normaliser', false, (defaults) => [...defaults, folding]],
    ['a signature', false, (defaults) => [...defaults, signing]],
  ])(
    'are used unless a plugin that they do not have takes part, with the same results: %s',
    async (_name, serve, list) => {
      const settings = settingsSchema.parse({ db: { maxOutlinksPerPage: 6, ignoreExternalLinks: true } });
      const defaults = defaultPlugins(settings);
      const plugins = list(defaults);
      let asked = 0;
      const threads = defaultThreads(settings, defaults);
      const parseThreads = {
        ...threads,
        parse: (...args: Parameters<typeof threads.parse>) => {
          asked += 1;
          return threads.parse(...args);
        },
      };
      const random = randomNumbers(5);
      const some = (...from: string[]): string => from[Math.floor(random() * from.length)] ?? '';
      const links = [
        '/a',
        '/b?x',
        '/C',
        '/D?y',
        'ftp://x/',
        'http://o.com/',
        '/r',
        '/x.gif',
        `/${'y'.repeat(5000)}`,
        '/a?z',
      ];
      const more = [
        '<link rel=canonical href=/Can?1>',
        '<meta http-equiv=refresh content="0;url=/ref?1">',
        '<title>t',
        '<meta name=robots content=nofollow>',
      ];
      for (let i = 0; i < 40; i++) {
        const parts = () =>
          random() < 0.1 ? some(...more) : `<a href="${some(...links)}">${some('a', '', 'b'.repeat(200))}</a>`;
        const html = Array.from({ length: Math.floor(random() * 30) }, parts).join('');
        const of = page(html, some('text/html', 'text/html', 'text/plain', 'image/png'));
        const { counters, ...expected } = await parse({ settings, plugins }, of);
        expect(await parse({ settings, plugins, parseThreads }, of), html).toEqual({
          ...expected,
          counters: { ...counters, ...(!serve && { parsed_in_main_thread: 1 }) },
        });
      }
      expect(asked).toBe(serve ? 40 : 0);
    },
  );

  it('call onPage of modules, unless another one was passed in: then the main thread calls all in the order of the list', async () => {
    const module = pathToFileURL(join(folder, 'shows.mjs'));
    await writeFile(
      module,
      `${ODD}\nconst odd = pagePlugins; export { all as pagePlugins };
       const all = async () => [...(await odd()), { name: 'shows', onPage: () => ({ by: 'thread', first: 1 }) }];`.replace(
        'export const pagePlugins',
        'const pagePlugins',
      ),
    );
    const { settings, plugins: odd } = await oddThreads();
    const shared: Plugin[] = [...odd.slice(0, 2), { name: 'shows', onPage: () => ({ by: 'main', first: 1 }) }];
    const parseThreads = threadsOf({ plugins: shared, threads: 1, data: { module: module.href, input: {} } });
    const custom = async (...more: Plugin[]) =>
      (await parse({ settings, plugins: [...shared, ...more], parseThreads }, page('a'))).cells.custom;
    expect(await custom()).toBe('{"by":"thread","first":1}');
    const own: Plugin = { name: 'own', onPage: ({ title }) => ({ title, first: 2 }) };
    expect(await custom(own)).toBe('{"by":"main","first":2,"title":"a"}');
  });

  it('obey the settings of each page', async () => {
    const settings = settingsSchema.parse({});
    const plugins = defaultPlugins(settings);
    const crawl = { settings, plugins, parseThreads: defaultThreads(settings, plugins) };
    const inside = { ...settings, db: { ...settings.db, ignoreExternalLinks: true } };
    const of = page('<a href=http://other.com/>x', 'text/html');
    const links = async (with_: Settings) => (await parse({ ...crawl, settings: with_ }, of)).counters;
    expect(await links(settings)).toEqual({ parsed: 1, links: 1 });
    expect(await links(inside)).toEqual({ parsed: 1, links_external: 1 });
    expect(await links(settings)).toEqual({ parsed: 1, links: 1 });
  });

  it('give the same table, with parse in fetch and as a job of its own', async () => {
    const crawled = async (withThreads: boolean, inFetch: boolean) => {
      const { pages, seeds } = randomWeb(5, 120, 3);
      await using crawl = await testCrawl(fakeWeb(pages));
      const threads = withThreads ? defaultThreads(crawl.settings, crawl.plugins) : undefined;
      const context: TestCrawl = { ...crawl, ...(threads && { parseThreads: threads }) };
      const reports = [];
      let batch: string | undefined = await start(context, ...seeds);
      for (; batch !== undefined; batch = (await jobs.generate(context, {})).batchId) {
        reports.push((await jobs.fetch(context, { batch, parse: inFetch, threads: 8 })).counters);
        if (!inFetch) reports.push((await jobs.parse(context, { batch })).counters);
        await jobs.updatedb(context, { batch });
      }
      const rows = JSON.stringify(await allRows(context)).replace(/\b\d{10}-\d+\b/g, 'batch');
      return { rows: JSON.parse(rows) as unknown, reports };
    };
    const expected = await crawled(false, true);
    expect(await crawled(true, true)).toEqual(expected);
    expect((await crawled(true, false)).rows).toEqual(expected.rows);
  });
});
