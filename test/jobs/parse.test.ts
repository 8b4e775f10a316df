import { describe, expect, it } from 'vitest';
import { jobs, type OpenContext, type ParsedPage, type Plugin } from '../../packages/webcrawl/internal.js';
import { selectRound } from '../../packages/jobs/generate.js';
import { damage } from '../support/stores/damage.js';
import { turns } from '../support/events.js';
import { fakeWeb, links, type FakePage } from '../support/web/fake-web.js';
import { runOf } from '../support/job-run.js';
import { round, rowOf, start } from '../support/job-steps.js';
import { START, allRows, testCrawl, type TestCrawl } from '../support/test-crawl.js';

const PAGE = 'http://a.com/';

/** A crawl whose one page is fetched and not yet parsed. */
async function fetched(page: FakePage | string, options: Parameters<typeof testCrawl>[1] = {}) {
  const web = fakeWeb({ [PAGE]: page });
  const crawl: TestCrawl = await testCrawl(web, options);
  const batch = await start(crawl, PAGE);
  await jobs.fetch(crawl, { batch });
  return { web, crawl, batch };
}

/** The counters of parse for one page, and the row after it. */
async function parsed(page: FakePage | string, options: Parameters<typeof testCrawl>[1] = {}) {
  const { crawl, batch } = await fetched(page, options);
  await using _ = crawl;
  const { counters } = await jobs.parse(crawl, { batch });
  const row = await rowOf(
    crawl,
    PAGE,
    'title',
    'text',
    'outlinks',
    'parseStatus',
    'redirectTarget',
    'newSignature',
    'marks',
  );
  return { counters, ...row, isMarked: row.marks?.parse === batch };
}

const parser = (parse: (html: string) => unknown): Plugin => ({
  name: 'stub-parser',
  parser: {
    contentTypes: ['text/html'],
    parse: ({ content }) => parse(Buffer.from(content).toString()) as ParsedPage,
  },
});

const success = (more: Partial<ParsedPage> = {}): ParsedPage => ({
  kind: 'success',
  title: '',
  text: '',
  outlinks: [],
  robots: { noindex: false, nofollow: false, noarchive: false },
  metadata: {},
  ...more,
});

describe('the language', () => {
  const ENGLISH =
    'The tide rises and falls twice a day, and the height of the water at each place is written down by a gauge.';
  const languageOf = async (page: FakePage | string) => {
    const { crawl, batch } = await fetched(page);
    await using _ = crawl;
    await jobs.parse(crawl, { batch });
    return rowOf(crawl, PAGE, 'language', 'languageSource');
  };

  it.each([
    ['en', `<p>${ENGLISH}`],
    [
      'de',
      '<p>Das Wasser steigt und fällt zweimal am Tag, und der Pegel zeigt, wie hoch es mit der Flut auf dem Platz ist.',
    ],
  ])('is detected by frequent words if it is not stated: %s', async (language, html) => {
    expect(await languageOf(html)).toEqual({ language, languageSource: 'detected' });
  });

  it('is left to exports and the index if frequent words do not show it', async () => {
    const russian = 'Вода поднимается и опускается дважды в день, и прибор записывает её высоту в каждом месте.';
    expect(await languageOf(`<p>${russian}`)).toEqual({});
  });

  it('is the stated one, whatever the text is', async () => {
    expect(await languageOf(`<html lang="fr_CA"><p>${ENGLISH}`)).toEqual({
      language: 'fr-CA',
      languageSource: 'stated',
    });
  });

  it('is detected in plain text, but not in a text with too few words', async () => {
    const page = { html: ENGLISH, contentType: 'text/plain' };
    expect(await languageOf(page)).toEqual({ language: 'en', languageSource: 'detected' });
    for (const html of ['', '<p>The tide', `<p>${'1234567890 '.repeat(100)}`, `<p>${'— * – … '.repeat(100)}`])
      expect(await languageOf(html)).toEqual({});
  });

  it('is detected in a part of the text after the menus', async () => {
    const menus = `<nav>${'<a href=/x>Startseite Über uns Kontakt Impressum</a> '.repeat(25)}</nav>`;
    expect(await languageOf(`${menus}<p>${`${ENGLISH} `.repeat(20)}`)).toMatchObject({ language: 'en' });
  });

  it('is removed when the page has none any more', async () => {
    const { crawl, batch, web } = await fetched(`<html lang=en><p>${ENGLISH}`);
    await using _ = crawl;
    await jobs.parse(crawl, { batch });
    await jobs.updatedb(crawl, { batch });
    web.set(PAGE, { html: '<p>short' });
    crawl.setTime(START + 40 * 86_400_000);
    await round(crawl);
    expect(await rowOf(crawl, PAGE, 'language', 'languageSource')).toEqual({});
  });
});

describe('parse', () => {
  it('stores title, text, links and digest with its mark', async () => {
    const html = `<html lang="en"><head><title> A  page </title><meta name="author" content="me"></head>
      <body><p>Some <b>text</b></p><a href="/x">first</a> <a href="http://B.com">B</a></body></html>`;
    const { crawl, batch } = await fetched(html);
    const [before] = await allRows(crawl);
    expect(await jobs.parse(crawl, { batch })).toEqual({
      job: 'parse',
      batchId: batch,
      seconds: 0,
      counters: { parsed: 1, links: 2 },
    });
    expect(await allRows(crawl)).toEqual([
      {
        ...before,
        title: 'A page',
        language: 'en',
        languageSource: 'stated',
        pageMetadata: expect.objectContaining({ author: 'me' }) as object,
        text: expect.stringMatching(/Some text\s+first\s+B/) as string,
        outlinks: [
          { url: 'http://a.com/x', anchor: 'first' },
          { url: 'http://b.com/', anchor: 'B' },
        ],
        parseStatus: { code: 'success', charset: expect.any(String) as string },
        newSignature: expect.stringMatching(/^[0-9a-f]{40}$/) as string,
        digest: expect.objectContaining({
          titleText: 'A page',
          linkCount: 1,
          externalLinkCount: 1,
          length: 9,
        }) as object,
        marks: { inject: 'y', generate: batch, fetch: batch, parse: batch },
      },
    ]);
  });

  it('parses once, and again only with force', async () => {
    let calls = 0;
    const stub = parser((html) => success({ text: `${html} ${++calls}` }));
    const { crawl, batch } = await fetched('x', { plugins: [stub] });
    expect((await jobs.parse(crawl, { batch })).counters).toEqual({ parsed: 1 });
    const before = await allRows(crawl);
    expect((await jobs.parse(crawl, { batch })).counters).toEqual({ already_parsed: 1 });
    expect(await allRows(crawl)).toEqual(before);
    expect((await jobs.parse(crawl, { batch, force: true })).counters).toEqual({ parsed: 1 });
    expect(await allRows(crawl)).toEqual([{ ...before[0], text: 'x 2', digest: expect.anything() as object }]);
    expect(calls).toBe(2);
  });

  it('stores nothing for a page that its batch no longer holds', async () => {
    const late: { crawl?: TestCrawl } = {};
    // While the page is parsed, generate releases the rows of the batch, which is too old by then.
    const slow: Plugin = {
      name: 'slow',
      parser: {
        contentTypes: ['text/html', 'text/plain'],
        async parse() {
          late.crawl!.setTime(START + 365 * 86_400_000);
          await selectRound(runOf(late.crawl!), { isBusy: () => true });
          return { kind: 'failed', code: 'late' };
        },
      },
    };
    await using crawl = await testCrawl(fakeWeb({ 'http://a.com/': 'x' }), { plugins: [slow] });
    late.crawl = crawl;
    const batch = await start(crawl, 'http://a.com/');
    await jobs.fetch(crawl, { batch });
    expect((await jobs.parse(crawl, { batch })).counters).toMatchObject({ released: 1 });
    expect(await rowOf(crawl, 'http://a.com/', 'parseStatus', 'marks')).not.toHaveProperty('parseStatus');
  });

  it.each(['fetch', 'parse', 'updatedb'] as const)('%s states what is missing if no batch is given', async (job) => {
    await using crawl = await testCrawl(undefined);
    for (const options of [{}, undefined] as unknown as { batch: string }[]) {
      await expect(jobs[job](crawl, options)).rejects.toMatchObject({ name: 'CrawlError', code: 'USAGE' });
    }
  });

  it('parses only pages for which the batch has a new body', async () => {
    const web = fakeWeb({
      'http://a.com/1': 'one',
      'http://a.com/2': { status: 503 },
      'http://a.com/3': { location: '/1' },
      'http://a.com/5': 'damaged',
    });
    await using crawl = await testCrawl(web);
    const batch = await start(crawl, ...[1, 2, 3, 4, 5].map((n) => `http://a.com/${n}`));
    expect((await jobs.parse(crawl, { batch })).counters).toEqual({ not_fetched: 5 });
    await jobs.fetch(crawl, { batch });
    await damage(crawl, 'http://a.com/5', 'status');
    expect((await jobs.parse(crawl, { batch })).counters).toEqual({ parsed: 1, not_fetched: 3, damaged: 1 });
  });

  it('continues where it was stopped, over many chunks', async () => {
    // Each host has its own slot, and a chunk is within one slot.
    const pages = Object.fromEntries(Array.from({ length: 90 }, (_, i) => [`http://h${i % 5}.com/${i}`, `page ${i}`]));
    const controller = new AbortController();
    let calls = 0;
    const stub = parser((text) => {
      if (++calls === 50) controller.abort();
      return success({ text });
    });
    await using crawl = await testCrawl(fakeWeb(pages), { plugins: [stub] });
    const batch = await start(crawl, ...Object.keys(pages));
    await jobs.fetch(crawl, { batch });
    const report = await jobs.parse(crawl, { batch, signal: controller.signal });
    expect(report).toMatchObject({ interrupted: true, counters: { parsed: 54 } });
    expect((await jobs.parse(crawl, { batch })).counters).toEqual({ parsed: 36, already_parsed: 54 });
    expect(calls).toBe(90);
    for (const row of await allRows(crawl)) expect(row.text).toBe(pages[String(row.url)]);
  });

  it('counts a page that no parser accepts by the cause', async () => {
    const cases: [FakePage, string, object][] = [
      [{ html: 'GIF89a', contentType: 'image/gif' }, 'unsupported_type', { message: 'image/gif' }],
      [{ html: 'a\u0000b', contentType: '' }, 'unsupported_type', { message: 'application/octet-stream' }],
      [
        { html: 'PK\x03\x04', contentType: 'application/octet-stream' },
        'unsupported_type',
        { message: 'application/zip' },
      ],
    ];
    for (const [page, code, more] of cases) {
      expect(await parsed(page)).toEqual({
        counters: { [`failed_${code}`]: 1 },
        parseStatus: { code, ...more },
        marks: expect.not.objectContaining({ parse: expect.anything() as unknown }) as object,
        isMarked: false,
      });
    }
  });

  it('detects the type if the server states none', async () => {
    expect(await parsed({ html: '<!doctype html><title>x</title>', contentType: '' })).toMatchObject({ title: 'x' });
    expect(await parsed({ html: 'plain <b>', contentType: '' })).toMatchObject({ text: 'plain <b>' });
  });

  it('counts a page as failed if its parser throws, returns undefined or refuses it', async () => {
    const boom = parser(() => {
      throw new Error('out of order');
    });
    expect(await parsed('x', { plugins: [boom] })).toMatchObject({
      counters: { 'failed_plugin_error_stub-parser': 1 },
      parseStatus: { code: 'plugin_error_stub-parser', message: 'out of order' },
      isMarked: false,
    });
    const late = parser(() => Promise.reject(new Error('x'.repeat(2000))));
    const { parseStatus } = await parsed('x', { plugins: [late] });
    expect(parseStatus).toEqual({ code: 'plugin_error_stub-parser', message: 'x'.repeat(500) });
    const refuses = parser(() => ({ kind: 'failed', code: 'encrypted', message: 'a password is needed' }));
    expect(await parsed('x', { plugins: [refuses] })).toMatchObject({
      counters: { failed_encrypted: 1 },
      parseStatus: { code: 'encrypted', message: 'a password is needed' },
    });
    const mute = parser(() => undefined);
    expect(await parsed('x', { plugins: [mute] })).toMatchObject({
      counters: { 'failed_plugin_error_stub-parser': 1 },
    });
  });

  it('waits for a parser no longer than the setting says, and goes on', async () => {
    const stub = parser((html) => (html === 'slow' ? new Promise(() => {}) : success({ text: html })));
    const web = fakeWeb({
      'http://a.com/1': 'slow',
      'http://a.com/2': 'quick',
      'http://a.com/3': 'slow',
      'http://a.com/4': 'quick',
    });
    await using crawl = await testCrawl(web, { plugins: [stub], settings: { 'parser.timeout': 0.02 } });
    const batch = await start(crawl, 'http://a.com/1', 'http://a.com/2');
    await jobs.fetch(crawl, { batch });
    expect((await jobs.parse(crawl, { batch })).counters).toEqual({ parsed: 1, failed_timeout: 1 });
    expect(await rowOf(crawl, 'http://a.com/1', 'parseStatus')).toEqual({ parseStatus: { code: 'timeout' } });
    const next = await start(crawl, 'http://a.com/3', 'http://a.com/4');
    expect((await jobs.fetch(crawl, { batch: next, parse: true })).counters).toMatchObject({
      parsed: 1,
      failed_timeout: 1,
    });
  });

  it('accepts any time limit that the settings accept', async () => {
    const slow = parser(() => turns().then(() => success({ text: 'x' })));
    expect(await parsed('x', { plugins: [slow], settings: { 'parser.timeout': 86_400 } })).toMatchObject({ text: 'x' });
  });

  it('counts a page as failed if its digest cannot be made', async () => {
    const stub: Plugin = {
      name: 'stub-signature',
      signature: () => {
        throw new Error('out of order');
      },
    };
    expect(await parsed(links('/x'), { plugins: [stub] })).toEqual({
      counters: { 'failed_plugin_error_stub-signature': 1 },
      parseStatus: { code: 'plugin_error_stub-signature', message: 'out of order' },
      marks: expect.anything() as object,
      isMarked: false,
    });
  });

  it('calls a signature as a method of its plugin', async () => {
    const plugin = {
      name: 'salted',
      salt: 'ab',
      signature(this: { salt: string }) {
        return this.salt;
      },
    };
    expect(await parsed('x', { plugins: [plugin as Plugin] })).toMatchObject({ parseStatus: { code: 'success' } });
  });

  it('keeps what an earlier parse found if a later one fails, and passes none of it on', async () => {
    const { web, crawl, batch } = await fetched(links('/1'));
    await jobs.parse(crawl, { batch });
    await jobs.updatedb(crawl, { batch });
    web.set(PAGE, { html: 'GIF89a', contentType: 'image/gif' });
    web.set('http://a.com/1', { html: 'x' });
    crawl.setTime(START + 31 * 86_400_000);
    const before = await rowOf(crawl, PAGE, 'title', 'text', 'outlinks', 'signature');
    const { updated } = await round(crawl);
    expect(updated.counters).toEqual({ fetched: 2, rebased: 1 });
    expect(await rowOf(crawl, PAGE, 'title', 'text', 'outlinks', 'signature')).toEqual(before);
    expect(await rowOf(crawl, PAGE, 'parseStatus')).toMatchObject({ parseStatus: { code: 'unsupported_type' } });
  });

  it('skips truncated bodies if the setting says so', async () => {
    const cut: Plugin = {
      name: 'cut',
      protocol: {
        schemes: ['http'],
        async fetch({ url }) {
          if (url.endsWith('/robots.txt')) return { kind: 'gone', code: 'not_found' };
          const body = Buffer.from('<title>half');
          return { kind: 'content', code: 'success', body, truncated: true, contentType: 'text/html' };
        },
      },
    };
    for (const parseInFetch of [true, false]) {
      for (const skip of [true, false]) {
        await using crawl = await testCrawl(undefined, {
          plugins: [cut],
          settings: { 'parser.skipTruncated': skip },
        });
        const batch = await start(crawl, PAGE);
        await jobs.fetch(crawl, { batch, parse: parseInFetch });
        await jobs.parse(crawl, { batch });
        const { title, parseStatus, protocolStatus } = await rowOf(
          crawl,
          PAGE,
          'title',
          'parseStatus',
          'protocolStatus',
        );
        expect([title, parseStatus?.code]).toEqual(skip ? [undefined, 'truncated'] : ['half', 'success']);
        expect(protocolStatus).toEqual({ code: 'success', truncated: true });
      }
    }
  });

  it('lets robots directives decide on links and indexing', async () => {
    const page = (content: string): string => `<meta name="robots" content="${content}">${links('/x')}`;
    const { counters, parseStatus, outlinks } = await parsed(page('noindex'));
    expect(parseStatus).toMatchObject({ code: 'success', noindex: true });
    expect(parseStatus).not.toHaveProperty('nofollow');
    expect([counters, outlinks]).toEqual([{ parsed: 1, links: 1 }, [{ url: 'http://a.com/x', anchor: 'to /x' }]]);

    const nofollow = await parsed(page('nofollow'));
    expect(nofollow.parseStatus).toMatchObject({ code: 'success', nofollow: true });
    expect([nofollow.counters, nofollow.outlinks]).toEqual([{ parsed: 1 }, []]);

    const header = await parsed({ html: links('/x'), headers: { 'x-robots-tag': 'none' } });
    expect(header.parseStatus).toMatchObject({ noindex: true, nofollow: true });
    expect(header.outlinks).toEqual([]);
  });

  it('stores a canonical URL that passes the filters', async () => {
    const page = (href: string): string => `<link rel="canonical" href="${href}">`;
    expect((await parsed(page('HTTP://A.com/x/../y#z'))).parseStatus).toMatchObject({ canonical: 'http://a.com/y' });
    for (const href of ['ftp://a.com/', 'http://a.com/x.png', 'http://[/']) {
      expect((await parsed(page(href))).parseStatus, href).not.toHaveProperty('canonical');
    }
  });
});

describe('parse and links', () => {
  const outlinksOf = async (page: string, settings: Record<string, unknown> = {}, plugins: Plugin[] = []) => {
    const { counters, outlinks } = await parsed(page, { settings, plugins });
    return { counters, outlinks: outlinks?.map(({ url, anchor }) => [url, anchor]) };
  };
  const anchors = (...entries: [string, string][]): string =>
    entries.map(([href, text]) => `<a href="${href}">${text}</a>\n`).join('');

  it('stores each URL once, with its first anchor that has text', async () => {
    const page = anchors(['/x', ' '], ['/x#part', 'second'], ['/X/../x', 'third'], ['/y', 'y']);
    expect(await outlinksOf(page)).toEqual({
      counters: { parsed: 1, links: 2 },
      outlinks: [
        ['http://a.com/x', 'second'],
        ['http://a.com/y', 'y'],
      ],
    });
  });

  it('stores the first anchor with text also for URLs that become equal by a normaliser', async () => {
    const normaliser: Plugin = { name: 'sessions', normalizeUrl: (url) => url.replace(/\?session=\d+$/, '') };
    const page = anchors(
      ['/x?session=1', ' '],
      ['/x?session=2', 'second'],
      ['/x?session=3', 'third'],
      ['/x', 'fourth'],
    );
    expect(await outlinksOf(page, {}, [normaliser])).toEqual({
      counters: { parsed: 1, links: 1 },
      outlinks: [['http://a.com/x', 'second']],
    });
  });

  it('counts only stored links against the limit', async () => {
    const page = anchors(
      ['/no.png', 'picture'],
      ['mailto:x@a.com', 'mail'],
      ['/1', 'one'],
      ['/1', 'one again'],
      ['/2', 'two'],
      ['/3', 'three'],
      ['/2', 'two again'],
      ['/4', 'four'],
    );
    const { counters, outlinks } = await outlinksOf(page, { 'db.maxOutlinksPerPage': 2 });
    expect(outlinks).toEqual([
      ['http://a.com/1', 'one'],
      ['http://a.com/2', 'two'],
    ]);
    expect(counters).toMatchObject({ links: 2, links_over_limit: 2, 'links_rejected_urlfilter-regex': 1 });
    expect(await outlinksOf(page, { 'db.maxOutlinksPerPage': 0 })).toMatchObject({ outlinks: [] });
    expect((await outlinksOf(page, { 'db.maxOutlinksPerPage': -1 })).outlinks).toHaveLength(4);
  });

  it('cuts anchors and drops URLs that are too long', async () => {
    const stub = parser(() =>
      success({
        outlinks: [
          { url: 'http://a.com/123456', anchor: 'abcdef' },
          { url: 'http://a.com/1', anchor: '😀😀' },
        ],
      }),
    );
    const settings = { 'db.maxAnchorLength': 3, 'db.maxOutlinkLength': 18 };
    const { counters, outlinks } = await outlinksOf('x', settings, [stub]);
    expect(counters).toEqual({ parsed: 1, links: 1, links_too_long: 1 });
    expect(outlinks).toHaveLength(1);
    expect(outlinks![0]![1]!.length).toBeLessThanOrEqual(3);
    expect(await outlinksOf('x', { 'db.maxAnchorLength': 0 }, [stub])).toMatchObject({
      outlinks: [
        ['http://a.com/123456', ''],
        ['http://a.com/1', ''],
      ],
    });
  });

  it('drops a link if a filter throws, and counts it under the name of the plugin', async () => {
    const broken: Plugin = {
      name: 'broken',
      filterUrl(url, scope) {
        if (scope === 'outlink' && url.includes('boom')) throw new Error('out of order');
        return true;
      },
    };
    const crooked: Plugin = {
      name: 'crooked',
      normalizeUrl(url) {
        if (url.includes('crooked')) return 'not a url';
        if (url.includes('throws')) throw new Error('out of order');
        return url;
      },
    };
    const page = anchors(['/boom', 'a'], ['/fine', 'b'], ['/crooked', 'c'], ['/throws', 'd'], ['/boom2', 'e']);
    expect(await outlinksOf(page, {}, [broken, crooked])).toEqual({
      counters: { parsed: 1, links: 1, links_rejected_broken: 2, links_rejected_crooked: 2 },
      outlinks: [['http://a.com/fine', 'b']],
    });
  });

  it('ignores invalid links of a parser', async () => {
    const urls = [
      '',
      'x',
      '//b.com/',
      'http://',
      'http://[/',
      'http://u:p@a.com/',
      'javascript:alert(1)',
      'http://ok.com/\u0000x',
    ];
    const stub = parser(() => success({ outlinks: urls.map((url) => ({ url, anchor: 'a' })) }));
    expect(await outlinksOf('x', {}, [stub])).toEqual({
      counters: { parsed: 1, links: 1, links_rejected_url: 7 },
      outlinks: [['http://ok.com/%00x', 'a']],
    });
  });

  it('drops links that leave the host, or the domain', async () => {
    const page = anchors(['/x', 'x'], ['http://sub.a.com/', 's'], ['https://a.com/', 't'], ['http://b.com/', 'b']);
    const settings = { 'db.ignoreExternalLinks': true };
    expect(await outlinksOf(page, settings)).toEqual({
      counters: { parsed: 1, links: 2, links_external: 2 },
      outlinks: [
        ['http://a.com/x', 'x'],
        ['https://a.com/', 't'],
      ],
    });
    const domain = await outlinksOf(page, { ...settings, 'db.ignoreExternalLinksMode': 'domain' });
    expect(domain.counters).toEqual({ parsed: 1, links: 3, links_external: 1 });
  });

  it('puts the target of a short refresh first among the links, and stores it', async () => {
    const page = (refresh: string, rest = anchors(['/x', 'x'])): string =>
      `<meta http-equiv="refresh" content="${refresh}">${rest}`;
    const { counters, redirectTarget, outlinks } = await parsed(page('0; url=/next'));
    expect([counters, redirectTarget]).toEqual([{ parsed: 1, links: 2 }, 'http://a.com/next']);
    expect(outlinks).toEqual([
      { url: 'http://a.com/next', anchor: '' },
      { url: 'http://a.com/x', anchor: 'x' },
    ]);
    for (const refresh of ['0; url=/', '0', '600; url=/next']) {
      expect(await parsed(page(refresh)), refresh).not.toHaveProperty('redirectTarget');
    }
    const rejected = await parsed(page('0; url=/next.png'));
    expect(rejected.counters).toEqual({ parsed: 1, links: 1, 'redirect_rejected_urlfilter-regex': 1 });
    const external = await parsed(page('0; url=http://b.com/'), { settings: { 'db.ignoreExternalLinks': true } });
    // The page is a seed, which may lead to another host.
    expect(external.counters).toEqual({ parsed: 1, links: 2 });
    const nofollow = await parsed(page('0; url=/next', '<meta name="robots" content="nofollow">'));
    expect([nofollow.redirectTarget, nofollow.outlinks]).toEqual(['http://a.com/next', []]);
  });

  it('removes the target of a refresh when another parse finds none', async () => {
    let html = { refresh: { url: 'http://a.com/next', delay: 0 } } as Partial<ParsedPage>;
    let fails = false;
    const stub = parser(() => (fails ? { kind: 'failed', code: 'encrypted' } : success(html)));
    for (const change of [() => (html = {}), () => (fails = true)]) {
      html = { refresh: { url: 'http://a.com/next', delay: 0 } };
      const { crawl, batch } = await fetched('x', { plugins: [stub] });
      await jobs.parse(crawl, { batch });
      expect(await rowOf(crawl, PAGE, 'redirectTarget')).toEqual({ redirectTarget: 'http://a.com/next' });
      change();
      await jobs.parse(crawl, { batch, force: true });
      expect(await rowOf(crawl, PAGE, 'redirectTarget')).toEqual({});
    }
  });
});

describe('parse of every open batch', () => {
  it('adds up what it counts', async () => {
    const web = fakeWeb({ 'http://a.com/': links('/x'), 'http://b.com/': links('/x', '/y') });
    await using crawl: OpenContext = await testCrawl(web);
    await start(crawl, 'http://a.com/');
    await start(crawl, 'http://b.com/');
    await jobs.fetch(crawl, { batch: 'all' });
    expect((await jobs.parse(crawl, { batch: 'all' })).counters).toEqual({ batches: 2, parsed: 2, links: 3 });
  });
});
