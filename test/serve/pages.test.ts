import { createHash } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse, type DefaultTreeAdapterMap } from 'parse5';
import { CrawlError } from '../../packages/errors/index.js';
import { servePages, type ServeOptions, type ServeSource } from '../../packages/serve/index.js';
import { aHit, aRunningStatus, aStatus, fakeSource, found, HITS } from '../support/web/fake-source.js';
import { words } from '../support/files/words.js';

/** Returns a function that sends requests to a new server. */
async function serve(change: Partial<ServeSource> = {}, options: ServeOptions = {}) {
  const served = await servePages(fakeSource(change), { port: 0, ...options });
  onTestFinished(() => served.close());
  return (path: string, init?: RequestInit) => fetch(new URL(path, served.url), { redirect: 'manual', ...init });
}

type Node = DefaultTreeAdapterMap['node'];
/** Every element of a page, with its attributes. */
function elements(text: string): { name: string; attributes: Record<string, string>; text: string; raw: string }[] {
  const found: { name: string; attributes: Record<string, string>; text: string; raw: string }[] = [];
  const textOf = (node: Node): string =>
    'value' in node ? String(node.value) : 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';
  const walk = (node: Node): void => {
    if ('attrs' in node) {
      const attributes = Object.fromEntries(node.attrs.map(({ name, value }) => [name, value]));
      const raw = textOf(node);
      found.push({ name: node.tagName, attributes, text: raw.replace(/\s+/g, ' ').trim(), raw });
    }
    if ('childNodes' in node) node.childNodes.forEach(walk);
  };
  const errors: string[] = [];
  walk(parse(text, { onParseError: ({ code }) => void errors.push(code) }));
  expect(errors).toEqual([]);
  return found;
}

/** A page has no script but the one of the search box, and only if its policy has the digest of the script. */
function expectOwnScript(all: ReturnType<typeof elements>, response: Response): void {
  const policy = response.headers.get('content-security-policy') ?? '';
  const scripts = all.filter(({ name }) => name === 'script');
  const digests = scripts.map(({ raw }) => `'sha256-${createHash('sha256').update(raw).digest('base64')}'`);
  expect(digests.length).toBe(policy.includes('script-src') ? 1 : 0);
  for (const digest of digests) expect(policy).toContain(`script-src ${digest}`);
  expect(policy).not.toMatch(/unsafe|script-src 'self'/);
}

describe('the search page', () => {
  it('shows results as a list, each in its language, with links that send no referrer', async () => {
    const ask = await serve();
    const response = await ask('/search?q=green+tea');
    const all = elements(await response.text());
    expect(all.filter(({ name }) => name === 'article')).toHaveLength(HITS.length);
    const links = all.filter(({ name, attributes }) => name === 'a' && /^https?:/.test(attributes['href'] ?? ''));
    expect(links.map(({ attributes }) => attributes['href'])).toEqual(HITS.map(({ url }) => url));
    for (const { attributes } of links) expect(attributes['rel']).toBe('nofollow noreferrer noopener');
    const snippets = all.filter(({ attributes }) => attributes['class'] === 'snippet');
    expect(snippets.map(({ attributes }) => attributes['lang'])).toEqual(['en', 'zh-CN', 'ja', 'ru', 'he']);
    expect(all.filter(({ name }) => name === 'mark').map(({ text }) => text)).toContain('绿茶');
    expect(all.find(({ name }) => name === 'h1')?.text).toBe('42 pages for green tea');
    expect(all.find(({ name }) => name === 'input')?.attributes['value']).toBe('green tea');
    expect(all.map(({ text }) => text)).toEqual(
      expect.arrayContaining(['3 pages like this', '12 more of zh.example.org']),
    );
    const more = all.find(({ name, text }) => name === 'a' && text === '12 more of zh.example.org');
    expect(more?.attributes['href']).toBe('/search?q=tea+site%3Azh.example.org');
    expectOwnScript(all, response);
  });

  it('has pages, and groups results as requested', async () => {
    const asked: unknown[] = [];
    const ask = await serve({
      search(query, { page, fold }) {
        asked.push([query, page, fold]);
        return Promise.resolve(found([aHit({ alike: 2 })], { total: 350, pages: 10 }));
      },
    });
    const text = await (await ask('/search?q=a+%26+b&page=3&fold=no')).text();
    expect(asked).toEqual([['a & b', 3, false]]);
    const all = elements(text);
    const pages = all.filter(({ attributes }) => attributes['href']?.includes('page='));
    expect(pages.map(({ attributes }) => attributes['href'])).toContain('/search?q=a+%26+b&page=10&fold=no');
    expect(pages.map(({ attributes }) => attributes['href']).join()).not.toContain('page=11');
    expect(
      all.find(({ attributes }) => attributes['aria-current'] === 'page' && attributes['href'] === undefined)?.text,
    ).toBe('Page 3');
    expect(text).toContain('Group them');
    expect(all.find(({ name }) => name === 'ol')?.attributes['start']).toBe('21');
    for (const wrong of ['0', '11', 'x', '1.5']) expect((await ask(`/search?q=a&page=${wrong}`)).status).toBe(400);
    expect((await ask('/search?q=+')).headers.get('location')).toBe('/');
  });

  it('links to copies that may be shown, and to no others', async () => {
    const { hasCopy: _, ...without } = aHit({ url: 'https://example.com/noarchive' });
    const ask = await serve({ search: () => Promise.resolve(found([aHit({ url: 'https://example.com/' }), without])) });
    const all = elements(await (await ask('/search?q=tea')).text());
    const links = all.filter(({ attributes }) => attributes['href']?.startsWith('/cached'));
    expect(links.map(({ attributes }) => attributes['href'])).toEqual(['/cached?url=https%3A%2F%2Fexample.com%2F']);
  });

  it('suggests what to do if nothing is found, and another spelling', async () => {
    const ask = await serve({
      search: () =>
        Promise.resolve(
          found([], { didYouMean: 'tea "<b>', notices: [{ code: 'common_words', message: 'Left out: <i>' }] }),
        ),
    });
    const all = elements(await (await ask('/search?q=tae')).text());
    expect(all.find(({ name }) => name === 'h1')?.text).toBe('Nothing found for tae');
    expect(all.find(({ attributes }) => attributes['href'] === '/search?q=tea+%22%3Cb%3E')?.text).toBe('tea "<b>');
    expect(all.map(({ text }) => text)).toContain('Left out: <i>');
    expect(all.findLast(({ name }) => name === 'details')?.attributes).toHaveProperty('open');
  });

  it('shows errors of a request as a page and as JSON', async () => {
    const error = new CrawlError('USAGE', 'expected <b>', { hint: 'do <i>' });
    const ask = await serve({ search: () => Promise.reject(error) });
    const page = await ask('/search?q=a');
    expect(page.status).toBe(400);
    expect(elements(await page.text()).map(({ text }) => text)).toEqual(
      expect.arrayContaining(['Expected <b>.', 'Do <i>.']),
    );
    const json = await ask('/api/search?q=a');
    expect(json.status).toBe(400);
    expect(await json.json()).toEqual({ error: { code: 'USAGE', message: 'expected <b>', hint: 'do <i>' } });
  });

  it.each([
    [
      new CrawlError('NO_INDEX', 'expected /home/me/index', { hint: 'webcrawl index <makes> it' }),
      503,
      'webcrawl index <makes> it.',
    ],
    [new CrawlError('MISSING_PACKAGE', 'none in /home/me', { hint: 'npm install libsql' }), 503, 'npm install libsql.'],
    [new CrawlError('TABLE_LOCKED', '/home/me by process 4711', { hint: 'wait' }), 503, 'Wait.'],
    [new CrawlError('INTERNAL', '/home/me'), 500, 'Something failed here. The log of this server has the details.'],
    [new TypeError('/home/me'), 500, 'Something failed here. The log of this server has the details.'],
  ])('%s: clients get its code and what to do, and the log gets the message', async (error, status, shown) => {
    const logged: unknown[] = [];
    const fails = () => Promise.reject(error);
    const change = { search: fails, suggest: fails, cached: fails, status: fails };
    const ask = await serve(change, { onError: (each) => logged.push(each) });
    const paths = words`/search?q=a /api/search?q=a /api/suggest?q=a /cached?url=http://a/ /api/status /healthz`;
    for (const path of [...paths, '/dashboard', '/']) {
      const answer = await ask(path);
      const text = await answer.text();
      expect(text).not.toMatch(/\/home\/|4711/);
      if (paths.includes(path) && path !== '/healthz' && path !== '/api/status') expect(answer.status).toBe(status);
      if (path === '/healthz') expect(answer.status).toBe(503);
      if (path === '/search?q=a') expect(elements(text).map((each) => each.text)).toContain(shown);
    }
    expect(logged).toEqual([error]);
  });

  it('states why search is not possible, and what to do', async () => {
    const ask = await serve({
      status: () =>
        Promise.resolve(
          aStatus({ indexProblem: { code: 'MISSING_PACKAGE', hint: 'npm install libsql, or use Node 24' } }),
        ),
    });
    expect(await (await ask('/')).text()).toContain(
      'Search is not possible now: an optional package is not installed. npm install libsql, or use Node 24.',
    );
    const ill = await ask('/healthz');
    expect(ill.status).toBe(503);
    expect(await ill.text()).toBe(
      'MISSING_PACKAGE: an optional package is not installed (npm install libsql, or use Node 24)\n',
    );
    expect(await (await (await serve())('/')).text()).toContain('There is no search index yet');
  });

  it('escapes text of crawled pages, and shows no characters that change the direction, and no links out of the web', async () => {
    const evil = '<img src=x onerror=alert(1)>"\'\u202e\u0000&amp;';
    const ask = await serve({
      search: () =>
        Promise.resolve(
          found(
            [
              aHit({
                title: evil,
                url: `https://example.com/?"><script>alert(1)</script>`,
                language: '"><b>',
                snippet: [{ text: evil, hit: true }],
                moreFromHost: 1,
                hostQuery: evil,
              }),
              aHit({ title: 'run', url: 'javascript:alert(1)' }),
            ],
            { didYouMean: evil },
          ),
        ),
      cached: (url) => Promise.resolve({ url, title: evil, text: evil, language: evil }),
      status: () => Promise.resolve(aRunningStatus()),
    });
    for (const path of [
      `/search?q=${encodeURIComponent(evil)}`,
      `/cached?url=${encodeURIComponent('javascript:' + evil)}`,
    ]) {
      const response = await ask(path);
      const text = await response.text();
      expect(text).not.toMatch(/[\u0000\u202e]/);
      const all = elements(text);
      expect(all.filter(({ name }) => ['img', 'b'].includes(name))).toEqual([]);
      expectOwnScript(all, response);
      expect(all.flatMap(({ attributes }) => Object.keys(attributes)).filter((name) => name.startsWith('on'))).toEqual(
        [],
      );
      for (const { name, attributes } of all) if (name === 'a') expect(attributes['href']).toMatch(/^(https?:|\/|#)/);
      expect(text).toContain('&lt;img src=x onerror=alert(1)&gt;');
    }
  });

  it('shows the text of a page with its day, and none of an unknown page', async () => {
    const ask = await serve();
    const response = await ask(`/cached?url=${encodeURIComponent(HITS[0]!.url)}`);
    const all = elements(await response.text());
    expect(all.find(({ attributes }) => attributes['class'] === 'cached')?.attributes['lang']).toBe('en');
    const paragraphs = all.filter(({ name, attributes }) => name === 'p' && !('class' in attributes));
    expect(paragraphs.slice(0, 2).map(({ text }) => text)).toEqual(['Green tea.', 'Steep it at eighty degrees.']);
    expect(all.find(({ name }) => name === 'time')?.text).toBe('12 Mar 2026');
    expect(all.find(({ attributes }) => attributes['name'] === 'robots')?.attributes['content']).toBe(
      'noindex, nofollow',
    );
    expect(response.headers.get('x-robots-tag')).toBe('noindex, nofollow');
    expect((await ask('/cached?url=https://example.com/none')).status).toBe(404);
  });
});

describe('for programs, the server', () => {
  it('answers a search as JSON', async () => {
    const ask = await serve();
    const response = await ask('/api/search?q=tea&page=2');
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await response.json()).toMatchObject({ query: 'tea', page: 2, total: 42, hits: HITS });
    expect((await ask('/api/search')).status).toBe(400);
  });

  it('describes itself to browsers, and suggests completions', async () => {
    const ask = await serve();
    const response = await ask('/opensearch.xml', { headers: { 'x-forwarded-proto': 'https' } });
    expect(response.headers.get('content-type')).toBe('application/opensearchdescription+xml; charset=utf-8');
    const text = await response.text();
    expect(text).toMatch(/template="https:\/\/localhost:\d+\/search\?q=\{searchTerms\}"/);
    expect(text).toContain('type="application/x-suggestions+json"');
    const suggestions = await ask('/api/suggest?q=green');
    expect(suggestions.headers.get('content-type')).toContain('application/x-suggestions+json');
    expect(await suggestions.json()).toEqual(['green', ['green tea', 'green tea house']]);
    expect(await (await ask('/api/suggest')).json()).toEqual(['', []]);
    expect(await (await ask('/search?q=x')).text()).toContain('href="/opensearch.xml"');
  });

  it('reports whether it is healthy', async () => {
    expect(await (await (await serve())('/healthz')).text()).toBe('ok\n');
    const ask = await serve({ status: () => Promise.reject(new CrawlError('TABLE_DAMAGED', 'expected a row')) });
    const ill = await ask('/healthz');
    expect([ill.status, await ill.text()]).toEqual([503, 'TABLE_DAMAGED: a row or the database cannot be read\n']);
    expect((await ask('/api/status')).status).toBe(503);
    expect((await ask('/')).status).toBe(200);
    expect(await (await ask('/dashboard')).text()).toContain(
      'The table cannot be read now: a row or the database cannot be read',
    );
    expect(await (await ask('/metrics')).text()).toContain('webcrawl_up 0\n');
  });

  it('shows the figures of the same moment to all', async () => {
    let step = 0;
    const ask = await serve({
      status: () => Promise.resolve(aStatus({ due: { count: (step += 1), more: false, at: 0 } })),
    });
    const all = await Promise.all(
      ['/api/status', '/metrics', '/dashboard'].map(async (path) => (await ask(path)).text()),
    );
    const { due } = JSON.parse(all[0]!) as { due: { count: number } };
    expect(all[1]).toContain(`webcrawl_pages_due ${due.count}\n`);
    expect(all[2]).toContain(`data-text="due">${due.count}<`);
  });

  it('names no path of its machine when a job fails', async () => {
    const failing = [
      { job: 'index', code: 'STORE_FULL', message: 'expected room at /home/me/index', times: 2, since: 1, retryAt: 2 },
    ] as const;
    const ask = await serve({ status: () => Promise.resolve(aStatus({ failing })) });
    for (const path of ['/api/status', '/dashboard', '/metrics']) {
      expect(await (await ask(path)).text(), path).not.toContain('/home/me');
    }
    expect(await (await ask('/api/status')).json()).toMatchObject({
      failing: [{ job: 'index', code: 'STORE_FULL', message: 'the disk is full', times: 2 }],
    });
  });

  it('counts pages once, even though ranks and index read them again', async () => {
    const counts = (done: number) => ({ done, bytes: 0, counters: { links: 10 * done }, errors: {} });
    const totals = { inject: counts(1), crawl: counts(70), rank: counts(70), index: counts(70) };
    const jobs = Object.entries(totals).map(([job, each]) => ({ job, ...each, rate: 5 }));
    for (const [status, rate] of [
      [aStatus({ totals }), '–'],
      [aStatus({ totals, jobs }), '5'],
      [aStatus({ totals, jobs: jobs.filter(({ job }) => job === 'rank') }), '0'],
    ] as const) {
      const ask = await serve({ status: () => Promise.resolve(status) });
      const page = await (await ask('/dashboard')).text();
      expect(page).toContain('data-text="done">70<');
      expect(page).toContain(`data-text="rate">${rate}<`);
      expect(page).toMatch(/links<.*?>700</s);
    }
  });
});
