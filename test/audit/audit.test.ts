import { describe, expect, it, vi } from 'vitest';
import { urlOf } from '../../packages/core/index.js';
import {
  MemoryStore,
  audit,
  ignoreFindings,
  ignoreRules,
  jobs,
  rules,
  tellFindings,
  type AuditFinding,
  type FetchRequest,
  type AuditOptions,
  type AuditSummary,
  type OpenContext,
} from '../../packages/webcrawl/internal.js';
import { START, testCrawl, type TestCrawl } from '../support/test-crawl.js';
import { fakeWeb, type FakeWeb } from '../support/web/fake-web.js';
import { SITE, askedSite, page, plantedSite, troubledSite, type PlantedSite } from '../support/audit/planted-site.js';

const DAY = 86_400_000;
const PLAIN = { 'http.contentLimit': 4_000_000 };
const SETTINGS = { ...PLAIN, 'parser.audit': true };
const WITHOUT_BODIES = { 'fetcher.storeContent': false };

/** All findings of an audit, as `<rule> <url>`, with `~` before those that are not open. */
async function findingsOf(
  crawl: OpenContext,
  options: AuditOptions = {},
): Promise<{ summary: AuditSummary; findings: AuditFinding[]; names: string[] }> {
  await using report = await audit(crawl, options);
  const findings: AuditFinding[] = [];
  for await (const finding of report.findings) findings.push(finding);
  const names = findings.map(({ rule, url, state }) => `${state === 'open' ? '' : '~'}${rule} ${url}`).sort();
  return { summary: report.summary, findings, names };
}

/** Crawls a site completely, and again two days later. */
async function crawled(
  { pages, seeds }: Pick<PlantedSite, 'pages' | 'seeds'>,
  web: FakeWeb = fakeWeb(pages),
  settings: Readonly<Record<string, unknown>> = SETTINGS,
): Promise<TestCrawl> {
  const crawl = await testCrawl(web, { settings });
  await jobs.crawl(crawl, { seeds });
  crawl.setTime(START + 2 * DAY);
  await jobs.crawl(crawl, { seeds: [] });
  await jobs.dedup(crawl);
  return crawl;
}

/** A web that answers some HEAD requests differently, and any name in folders that have an answer for `*`. */
function webWithHead(pages: PlantedSite['pages']): FakeWeb & { readonly heads: string[] } {
  const web = fakeWeb(pages);
  const { fetch } = web.protocol!;
  const heads: string[] = [];
  return Object.assign(web, {
    heads,
    protocol: {
      ...web.protocol!,
      async fetch(request: FetchRequest) {
        const { url, headOnly } = request;
        if (headOnly) heads.push(url);
        if (headOnly && url.endsWith('/no-head')) return { kind: 'gone' as const, code: 'http_error', http: 405 };
        if (headOnly && url.endsWith('/head-404')) return { kind: 'gone' as const, code: 'not_found', http: 404 };
        const any = url.replace(/[^/]+(\/?)$/, '*$1');
        if (url in pages || !(any in pages)) return fetch(request);
        const answer = await fetch({ ...request, url: any });
        return answer.kind === 'redirect' && answer.target?.endsWith('+/') ? { ...answer, target: `${url}/` } : answer;
      },
    },
  });
}

describe('audit', () => {
  const site = plantedSite();
  const troubled = troubledSite();

  it('finds every planted fault, and nothing that only looks like one', async () => {
    await using crawl = await crawled(site);
    const { names, summary } = await findingsOf(crawl);
    expect(names).toEqual([...site.faults].sort());
    expect(summary).toMatchObject({ complete: true, because: [], scope: ['site.example'] });
  });

  it('finds the same faults if pages were parsed without facts: it reads their bodies', async () => {
    const asked = askedSite();
    for (const { pages, seeds, faults, external } of [
      { ...site, external: false },
      { ...troubled, external: false },
      { ...asked, external: true },
    ]) {
      await using crawl = await crawled({ pages, seeds }, external ? webWithHead(pages) : fakeWeb(pages), PLAIN);
      expect((await findingsOf(crawl, { external })).names).toEqual([...faults].sort());
    }
  });

  it('reads a body as parse did: by its own type, and up to the limit of elements', async () => {
    const list = `<urlset><url><loc>${SITE}/a</loc></url></urlset>`;
    const pages = {
      [`${SITE}/robots.txt`]: { html: `Sitemap: ${SITE}/list`, contentType: 'text/plain' },
      [`${SITE}/list`]: { html: `<?xml version="1.0"?>${list}`, contentType: 'text/html' },
      [`${SITE}/`]: page('home', '<a href="/long#end">l</a>'),
      [`${SITE}/a`]: page('a'),
      [`${SITE}/long`]: page('long', `${'<br>'.repeat(100_001)}<p id="end">`),
    };
    for (const settings of [SETTINGS, PLAIN]) {
      await using crawl = await crawled({ pages, seeds: [`${SITE}/`] }, fakeWeb(pages), settings);
      const { names, summary } = await findingsOf(crawl);
      expect(names).toEqual([`~sitemap-orphan ${SITE}/a`, `~sitemap-unlisted ${SITE}/long`]);
      expect(summary.because).toEqual([
        `1 page read in part, because of too many elements, ids or links: ${SITE}/long`,
      ]);
    }
  });

  it('reads only bodies that were parsed, and those of pages behind redirects once more for all of them', async () => {
    const paths = Array.from({ length: 20 }, (_, i) => `/old/${i}`);
    const pages = {
      [`${SITE}/`]: page('home', [...paths, '/file'].map((path) => `<a href="${path}">x</a>`).join('')),
      ...Object.fromEntries(paths.map((path) => [SITE + path, { location: '/new', status: 302 }])),
      [`${SITE}/new`]: page('new'),
      [`${SITE}/file`]: { html: 'PK', contentType: 'application/zip' },
    };
    await using crawl = await testCrawl(fakeWeb(pages), { settings: PLAIN });
    await jobs.crawl(crawl, { seeds: [`${SITE}/`] });
    crawl.setTime(START + 31 * DAY);
    await jobs.crawl(crawl, { seeds: [], refetch: true });
    const get = vi.spyOn(crawl.tables.pages, 'get');
    const { names } = await findingsOf(crawl);
    expect(names).toEqual(paths.map((path) => `redirect-temporary ${SITE}${path}`).sort());
    const read = get.mock.calls.filter(([, fields]) => fields.includes('content')).map(([key]) => urlOf(key));
    expect(read.sort()).toEqual([`${SITE}/`, `${SITE}/new`, `${SITE}/new`]);
  });

  it('reports no page for an answer that says nothing about it, and an orphan as inconclusive if some pages were not seen', async () => {
    await using crawl = await crawled(troubled);
    const { names, summary } = await findingsOf(crawl);
    expect(names).toEqual([...troubled.faults].sort());
    expect(summary.complete).toBe(false);
    expect(summary.because).toEqual([
      expect.stringMatching(/^15 pages refused to crawlers by the server \(.*\): (https:\S+, ){3}…$/) as string,
    ]);
  });

  it('requests parts, links that are not followed, and other sites, by HEAD and then by GET', async () => {
    const asked = askedSite();
    const web = webWithHead(asked.pages);
    await using crawl = await crawled(asked, web);
    web.requests.length = 0;
    const { names } = await findingsOf(crawl, { external: true });
    expect(names).toEqual([...asked.faults].sort());
    expect(web.heads).not.toContain(`${SITE}/i/lost.png`);
    expect(web.heads).toContain('https://other.example/fine');
    // HEAD said that it exists.
    expect(web.requests.filter((url) => url === 'https://other.example/fine')).toHaveLength(2);
    expect(web.requests.filter((url) => url.includes('/private/'))).toEqual([]);
    web.requests.length = 0;
    const again = await findingsOf(crawl, { external: true });
    expect(again.names).toEqual(names);
    expect(web.requests).toEqual([]);
  });

  it('sends no request unless asked to', async () => {
    const asked = askedSite();
    const web = webWithHead(asked.pages);
    await using crawl = await crawled(asked, web);
    web.requests.length = 0;
    await findingsOf(crawl);
    expect(web.requests).toEqual([]);
  });

  it('names every page that links to a dead one, by rank, with anchors and lines, in one finding', async () => {
    const pages = {
      [`${SITE}/`]: '<title>h</title><a href="/a">a</a>\n<a href="/b">b</a>\n<a href="/lost">from home</a>',
      [`${SITE}/a`]: '<title>a</title>\n\n<a href="/lost#x">from a</a>\n<a href="/lost">again</a> <a href="/b">b</a>',
      [`${SITE}/b`]: '<title>b</title><a href="/lost"><img src="/i.png" alt="from b"></a> <a href="/">h</a>',
    };
    await using crawl = await crawled({ pages, seeds: [`${SITE}/`] });
    await jobs.rank(crawl);
    const { findings } = await findingsOf(crawl);
    const found = findings.filter(({ rule }) => rule === 'link-broken');
    expect(found).toHaveLength(1);
    const [{ sources, impact, message, since, lastRequestAt }] = found as [AuditFinding];
    expect(message).toBe(`${SITE}/lost returns 404. 3 pages link to it.`);
    expect([since, lastRequestAt]).toEqual([START, START]);
    expect(sources.total).toBe(3);
    expect([...sources.shown].sort((one, two) => (one.url < two.url ? -1 : 1))).toEqual([
      { url: `${SITE}/`, anchor: 'from home', kind: 'a', line: 3 },
      { url: `${SITE}/a`, anchor: 'from a', kind: 'a', line: 3 },
      { url: `${SITE}/b`, anchor: 'from b', kind: 'a', line: 1 },
    ]);
    const ranks = new Map<string, number>();
    for await (const { url, rank = 0, outlinks = [] } of crawl.pages({ fields: ['rank', 'outlinks'] })) {
      ranks.set(url, rank / Math.max(outlinks.length, url.endsWith('/a') ? 3 : 0));
    }
    const shares = sources.shown.map(({ url }) => ranks.get(url)!);
    expect(shares).toEqual([...shares].sort((one, two) => two - one));
    expect(impact).toBeGreaterThan(0);
    expect(impact).toBeLessThan(1);
    const order = findings.map(({ severity }) => ['error', 'warn', 'notice'].indexOf(severity));
    expect(order).toEqual([...order].sort());
  });

  it('shows ten of the pages that link to a dead one, and lists all of them with their anchors', async () => {
    const many = Array.from({ length: 300 }, (_, n) => `${SITE}/p${n}`);
    const pages = Object.fromEntries(many.map((url) => [url, `<title>${url}</title><a href="/lost">dead</a>`]));
    const home = `<title>h</title>${many.map((url) => `<a href="${url}">p</a>`).join('')}`;
    await using crawl = await crawled({ pages: { ...pages, [`${SITE}/`]: home }, seeds: [`${SITE}/`] });
    // So little memory that sorted data goes to the disk.
    const { findings } = await findingsOf(crawl, { memory: 1 });
    const [found, ...others] = findings.filter(({ rule }) => rule === 'link-broken');
    expect(others).toEqual([]);
    expect(found!.sources.total).toBe(300);
    expect(found!.sources.shown).toHaveLength(10);
    expect(found!.impact).toBe(300);
    await using report = await audit(crawl, { memory: 1 });
    const listed: string[] = [];
    for await (const finding of report.findings) {
      if (finding.rule !== 'link-broken') continue;
      for await (const { url, anchor, kind } of report.sourcesOf(finding)) listed.push(`${kind} ${anchor} ${url}`);
    }
    expect(listed).toEqual(many.map((url) => `a dead ${url}`).sort());
  });

  it('lists each link of a page to a target, by element and fragment, and its links to fragments of it', async () => {
    const pages = {
      [`${SITE}/`]: '<title>h</title><a href="/lost">one</a>\n<a href="/lost#x">two</a><area href="/lost" alt="map">',
      [`${SITE}/p`]: '<title>p</title><p id=a><a href="#none">own</a> <a href="/p#a">there</a>',
    };
    await using crawl = await crawled({ pages, seeds: [`${SITE}/`, `${SITE}/p`] });
    await using report = await audit(crawl);
    const listed: Record<string, string[]> = {};
    for await (const finding of report.findings) {
      const sources: string[] = [];
      for await (const { url, anchor, kind } of report.sourcesOf(finding)) sources.push(`${kind} ${anchor} ${url}`);
      listed[`${finding.rule} ${finding.url}`] = sources;
    }
    expect(listed[`link-broken ${SITE}/lost`]).toEqual([`a one ${SITE}/`, `a two ${SITE}/`, `area map ${SITE}/`]);
    expect(listed[`fragment-missing ${SITE}/p#none`]).toEqual([`a own ${SITE}/p`]);
    expect(listed[`description-missing ${SITE}/`]).toEqual([]);
  });

  it('states what is new since a time: the target failed after it, or the link was added after it', async () => {
    const pages = {
      [`${SITE}/`]:
        '<title>h</title><a href="/works">w</a> <a href="/changes">c</a> <a href="/old-lost">o</a> <a href="/edited">e</a> <a href="/titled">t</a>',
      [`${SITE}/works`]: '<title>w</title>works',
      [`${SITE}/changes`]: '<title>c</title>before',
      [`${SITE}/edited`]: '<title>e</title>one <a href="/old-dead">d</a>',
      [`${SITE}/titled`]: '<title>t</title>one <a href="/old-gone">g</a>',
    };
    const web = fakeWeb(pages);
    await using crawl = await testCrawl(web, { settings: SETTINGS });
    await jobs.crawl(crawl, { seeds: [`${SITE}/`] });
    web.set(`${SITE}/works`, { status: 404 });
    // Texts and a title change, but the dead links existed before.
    web.set(`${SITE}/edited`, '<title>e</title>two <a href="/old-dead">d</a>');
    web.set(`${SITE}/titled`, '<title>t2</title>two <a href="/old-gone">g</a>');
    web.set(`${SITE}/changes`, '<title>c</title>after <a href="/new-lost">n</a>');
    crawl.setTime(START + 2 * DAY);
    await jobs.crawl(crawl, { seeds: [`${SITE}/`], refetch: true });
    const { findings, summary } = await findingsOf(crawl, { since: START + DAY });
    const news = findings
      .filter(({ rule }) => rule === 'link-broken')
      .map(({ url, isNew = 'old' }) => `${isNew} ${url}`);
    expect(news.sort()).toEqual([
      `link ${SITE}/new-lost`,
      `old ${SITE}/old-dead`,
      `old ${SITE}/old-gone`,
      `old ${SITE}/old-lost`,
      `target ${SITE}/works`,
    ]);
    const worked = findings.find(({ url, rule }) => rule === 'link-broken' && url.endsWith('/works'));
    // The change log knows when it last worked.
    expect(worked).toMatchObject({ since: START + 2 * DAY, lastOkAt: START, lastRequestAt: START + 2 * DAY });
    expect(summary.since).toBe(START + DAY);
    const before = await findingsOf(crawl);
    expect(before.findings.filter(({ isNew }) => isNew)).toEqual([]);
    expect(before.findings.map(({ id }) => id).sort()).toEqual(findings.map(({ id }) => id).sort());
  });

  it('states what is new when texts change: faults of titles by titles, groups by members, links by their targets', async () => {
    const text = (title: string, body = 'one'): string =>
      `${title && `<title>${title}</title>`}<h1>${title}</h1>${body}`;
    const dead = '<a href="/dead#part">d</a><img src="/dead.png" alt=""><a href="/dead-too" rel=nofollow>d</a>';
    const paths = ['none', 'none-now', 'a1', 'a2', 'b1', 'b2', 'oops', 'oops-now', 'links', 'moved'];
    const web = fakeWeb({
      [`${SITE}/`]: text('h', paths.map((path) => `<a href="/${path}">x</a>`).join('')),
      [`${SITE}/none`]: text(''),
      [`${SITE}/none-now`]: text('n'),
      [`${SITE}/a1`]: text('a'),
      [`${SITE}/a2`]: text('a'),
      [`${SITE}/b1`]: text('b'),
      [`${SITE}/b2`]: text('b2'),
      [`${SITE}/oops`]: text('Page not found'),
      [`${SITE}/oops-now`]: text('o'),
      [`${SITE}/links`]: text('links', dead),
      [`${SITE}/moved`]: { location: '/behind', status: 301 },
      [`${SITE}/behind`]: text('behind'),
    });
    await using crawl = await testCrawl(web, { settings: SETTINGS });
    await jobs.crawl(crawl, { seeds: [`${SITE}/`] });
    await findingsOf(crawl, { ask: true });
    crawl.setTime(START + 2 * DAY);
    web.set(`${SITE}/none`, text('', 'two <a href="/a1">a</a>'));
    web.set(`${SITE}/none-now`, text('', 'two'));
    web.set(`${SITE}/a2`, text('a', 'two'));
    web.set(`${SITE}/b2`, text('b'));
    web.set(`${SITE}/oops-now`, text('Page not found'));
    web.set(`${SITE}/links`, text('links', `two ${dead}`));
    web.set(`${SITE}/behind`, { status: 404 });
    await jobs.crawl(crawl, { seeds: [`${SITE}/`], refetch: true });
    const { findings } = await findingsOf(crawl, { since: START + DAY, ask: true });
    const names = ['title-missing', 'title-duplicate', 'soft-404', 'link-broken', 'redirect-broken', 'resource-broken'];
    const news = findings
      .filter(({ rule }) => names.includes(rule))
      .map(({ rule, url, isNew = 'old' }) => `${isNew} ${rule} ${url}`);
    expect(news.sort()).toEqual([
      `old link-broken ${SITE}/dead`,
      `old link-broken ${SITE}/dead-too`,
      `old resource-broken ${SITE}/dead.png`,
      `old soft-404 ${SITE}/oops`,
      `old title-duplicate ${SITE}/a1`,
      `old title-missing ${SITE}/none`,
      `target redirect-broken ${SITE}/moved`,
      `target soft-404 ${SITE}/oops-now`,
      `target title-duplicate ${SITE}/b1`,
      `target title-missing ${SITE}/none-now`,
    ]);
  });

  it('states that a link to nowhere is new on the page on which it is', async () => {
    const web = fakeWeb({
      [`${SITE}/`]: '<title>h</title><a href="/a">a</a><a href="htp://old">o</a>',
      [`${SITE}/a`]: '<title>a</title>one',
    });
    await using crawl = await testCrawl(web, { settings: SETTINGS });
    await jobs.crawl(crawl, { seeds: [`${SITE}/`] });
    crawl.setTime(START + 2 * DAY);
    web.set(`${SITE}/a`, '<title>a</title>two <a href="htp://new">n</a> <a href="/lost" rel=nofollow>l</a>');
    web.set(`${SITE}/lost`, { status: 404 });
    await jobs.crawl(crawl, { seeds: [`${SITE}/`], refetch: true });
    const { findings } = await findingsOf(crawl, { since: START + DAY, ask: true });
    const names = ['link-malformed', 'link-broken'];
    const news = findings.filter(({ rule }) => names.includes(rule)).map(({ url, isNew = 'old' }) => `${isNew} ${url}`);
    expect(news.sort()).toEqual(['link htp://new', `link ${SITE}/lost`, 'old htp://old']);
  });

  it('finds sitemaps that are missing or are pages, and none in feeds, in texts and behind redirects', async () => {
    const names = ['lost.xml', 'page.xml', 'other.xml', 'list.txt', 'feed.xml', 'moved.xml'];
    const feed = `<rss version="2.0"><channel><item><link>${SITE}/a</link></item></channel></rss>`;
    const pages = {
      [`${SITE}/`]: '<title>h</title><a href="/a">a</a>',
      [`${SITE}/a`]: '<title>a</title>',
      [`${SITE}/page.xml`]: '<title>Our pages</title><h1>Our pages</h1>',
      [`${SITE}/other.xml`]: { html: '<pages><page/></pages>', contentType: 'application/xml' },
      [`${SITE}/list.txt`]: { html: `${SITE}/\n${SITE}/a\n`, contentType: 'text/plain' },
      [`${SITE}/feed.xml`]: { html: feed, contentType: 'application/rss+xml' },
      [`${SITE}/moved.xml`]: { location: '/a', status: 302 },
      [`${SITE}/robots.txt`]: {
        html: names.map((name) => `Sitemap: ${SITE}/${name}`).join('\n'),
        contentType: 'text/plain',
      },
    };
    await using crawl = await crawled({ pages, seeds: [`${SITE}/`] });
    const found = (await findingsOf(crawl)).names.filter((name) => name.startsWith('sitemap-invalid'));
    expect(found).toEqual(['lost', 'other', 'page'].map((name) => `sitemap-invalid ${SITE}/${name}.xml`));
  });

  it('gives no time since when a page that is there has a fault, and does not say that it was a page before', async () => {
    const pages = {
      [`${SITE}/`]: page('home'),
      [`${SITE}/robots.txt`]: { html: `Sitemap: ${SITE}/list.txt`, contentType: 'text/plain' },
      [`${SITE}/list.txt`]: { html: `${SITE}/orphan\n`, contentType: 'text/plain' },
      [`${SITE}/orphan`]: page('orphan'),
    };
    await using crawl = await crawled({ pages, seeds: [`${SITE}/`] });
    const { findings } = await findingsOf(crawl);
    const orphan = findings.find(({ rule }) => rule === 'sitemap-orphan');
    expect(orphan).toMatchObject({ url: `${SITE}/orphan`, evidence: { status: 200 } });
    expect(orphan).not.toHaveProperty('since');
    expect(orphan).not.toHaveProperty('evidence.before');
  });

  it('does not judge a sitemap by its last parse if its server fails now', async () => {
    const web = fakeWeb({
      [`${SITE}/`]: page('home'),
      [`${SITE}/robots.txt`]: { html: `Sitemap: ${SITE}/list.xml`, contentType: 'text/plain' },
      [`${SITE}/list.xml`]: { html: '<pages><page/></pages>', contentType: 'application/xml' },
    });
    await using crawl = await testCrawl(web, { settings: SETTINGS });
    await jobs.crawl(crawl, { seeds: [`${SITE}/`] });
    expect((await findingsOf(crawl)).names).toEqual([`sitemap-invalid ${SITE}/list.xml`]);
    web.set(`${SITE}/list.xml`, { status: 503 });
    crawl.setTime(START + DAY);
    await jobs.crawl(crawl, { seeds: [`${SITE}/list.xml`], refetch: true });
    expect((await findingsOf(crawl)).names).toEqual([]);
  });

  it('finds temporary redirects that have stayed for a month, and none by language or to a log-in form', async () => {
    const links = ['/old', '/soon', '/other', '/by', '/members', 'https://home.example/'];
    const web = fakeWeb({
      [`${SITE}/`]: page('home', links.map((href) => `<a href="${href}">x</a>`).join('')),
      [`${SITE}/old`]: { location: '/new', status: 302 },
      [`${SITE}/other`]: { location: '/new', status: 302 },
      [`${SITE}/by`]: { location: '/by/1', status: 302 },
      [`${SITE}/by/1`]: { location: '/new', status: 301 },
      [`${SITE}/members`]: { location: '/login', status: 302 },
      [`${SITE}/new`]: page('new'),
      [`${SITE}/newer`]: page('newer'),
      [`${SITE}/login`]: page('login', '<input type="password">'),
      'https://home.example/': { location: '/en/', status: 302 },
      'https://home.example/en/': page('en'),
    });
    const seeds = [`${SITE}/`, 'https://home.example/'];
    await using crawl = await testCrawl(web, { settings: SETTINGS });
    await jobs.crawl(crawl, { seeds });
    web.set(`${SITE}/soon`, { location: '/new', status: 302 });
    web.set(`${SITE}/other`, { location: '/newer', status: 302 });
    web.set(`${SITE}/by/1`, { location: '/newer', status: 301 });
    crawl.setTime(START + 31 * DAY);
    await jobs.crawl(crawl, { seeds, refetch: true });
    const found = (await findingsOf(crawl)).names.filter((name) => name.startsWith('redirect-temporary'));
    expect(found).toEqual([`redirect-temporary ${SITE}/old`]);
  });

  it('does not believe an answer from before the last crawl about a redirect to another site, and requests it again', async () => {
    const behind = 'https://other.example/behind';
    const web = fakeWeb({
      [`${SITE}/`]: page('home', '<a href="/go">go</a>'),
      [`${SITE}/go`]: { location: behind, status: 301 },
    });
    await using crawl = await testCrawl(web, { settings: SETTINGS });
    await jobs.crawl(crawl, { seeds: [`${SITE}/`] });
    const broken = async (options?: AuditOptions): Promise<string[]> =>
      (await findingsOf(crawl, options)).names.filter((name) => name.startsWith('redirect-broken'));
    expect(await broken({ external: true })).toEqual([`redirect-broken ${SITE}/go`]);
    expect(await broken()).toEqual([`redirect-broken ${SITE}/go`]);
    web.set(behind, page('behind'));
    crawl.setTime(START + DAY / 2);
    await jobs.crawl(crawl, { seeds: [`${SITE}/`], refetch: true });
    expect(await broken()).toEqual([]);
    web.requests.length = 0;
    expect(await broken({ external: true })).toEqual([]);
    expect(web.requests).toContain(behind);
  });

  it('finds pages that name the home page as canonical, and not further addresses of the home page', async () => {
    const home = (host: string): string => page('home', '', `<link rel="canonical" href="https://${host}/">`);
    const siteOf = (host: string, ...paths: string[]) =>
      paths.map((path) => [`https://${host}${path}`, home(host)] as const);
    const pages = Object.fromEntries([
      ...siteOf('home.example', '/', '/index.html', '/index.php', '/default.aspx', '/Home', '/home/', '/?a=1'),
      ...siteOf('site.example', '/', '/index', '/a', '/b', '/homes/c'),
    ]);
    await using crawl = await crawled({ pages, seeds: Object.keys(pages) });
    const found = (await findingsOf(crawl)).names.filter((name) => name.startsWith('canonical-home'));
    expect(found).toEqual([`canonical-home ${SITE}/`]);
  });

  it('treats addresses with and without www as one if a rule of the table does', async () => {
    const other = SITE.replace('://', '://www.');
    const head = ['en', 'de'].map((tag) => `<link rel="alternate" hreflang="${tag}" href="${other}/${tag}">`).join('');
    const links = `<a href="${other}/en">e</a> <a href="${other}/de">d</a> <a href="${other}/en#x" rel="nofollow">x</a>`;
    const web = fakeWeb({
      [`${SITE}/`]: page('home', links),
      [`${SITE}/en`]: page('en', '<p id="x">', head),
      [`${SITE}/de`]: page('de', '', head),
    });
    await using crawl = await testCrawl(web, { settings: SETTINGS });
    await rules.add(crawl, { kind: 'www', scope: 'domain:site.example', to: 'without' });
    await jobs.crawl(crawl, { seeds: [`${SITE}/`] });
    web.requests.length = 0;
    expect((await findingsOf(crawl, { external: true, ask: true })).names).toEqual([]);
    expect(web.requests.filter((url) => url.startsWith(other))).toEqual([]);
  });

  it('checks nothing for which a page has no facts', async () => {
    const plain = (text: string): string =>
      `<title>${text}</title><meta name="description" content="${text}"><h1>${text}</h1>`;
    const web = fakeWeb({ [`${SITE}/`]: plain('h'), [`${SITE}/a`]: plain('a') });
    const store = new MemoryStore();
    const before = await testCrawl(web, { store, settings: WITHOUT_BODIES });
    await jobs.crawl(before, { seeds: [`${SITE}/`] });
    await using crawl = await testCrawl(web, { store, settings: SETTINGS });
    await jobs.crawl(crawl, { seeds: [`${SITE}/a`] });
    const { names, summary } = await findingsOf(crawl);
    expect(names).toEqual([]);
    expect(summary.because).toEqual([`1 page without facts (parser.audit) and without a stored body: ${SITE}/`]);
  });

  it('ignores findings until the given time, and names entries that ignore nothing', async () => {
    const pages = {
      [`${SITE}/`]: '<title>h</title><a href="/lost/1">1</a> <a href="/lost/2">2</a> <a href="/other">3</a>',
    };
    await using crawl = await crawled({ pages, seeds: [`${SITE}/`] });
    const now = START + 2 * DAY;
    await ignoreFindings(crawl, { rule: 'broken', url: `${SITE}/lost/*`, until: now + DAY });
    await ignoreFindings(crawl, { rule: 'link-broken', url: 'https://nowhere.example/*', why: 'moved' });
    await expect(ignoreFindings(crawl, { rule: 'link-brokn', url: '*' })).rejects.toMatchObject({ code: 'USAGE' });
    const found = await findingsOf(crawl);
    expect(found.names.filter((name) => name.startsWith('link-broken'))).toEqual([`link-broken ${SITE}/other`]);
    expect(found.summary).toMatchObject({ ignored: 2, unusedIgnores: ['link-broken https://nowhere.example/*'] });
    crawl.setTime(now + DAY);
    expect((await findingsOf(crawl)).names.filter((name) => name.startsWith('link-broken'))).toHaveLength(3);
    expect(await ignoreRules(crawl)).toHaveLength(2);
    expect(await tellFindings(crawl, 'link-broken', 'https://nowhere.example/*')).toBe(true);
    expect(await tellFindings(crawl, 'link-broken', 'https://nowhere.example/*')).toBe(false);
    expect((await findingsOf(crawl)).summary.unusedIgnores).toBeUndefined();
  });

  it('ignores a finding by rel only if all of its links have it', async () => {
    const pages = {
      [`${SITE}/`]:
        '<title>h</title><a href="/lost/1" rel="ugc nofollow">1</a> <a href="/lost/2" rel=ugc>2</a> <a href="/a">a</a> <a href="/lost/3">3</a>',
      [`${SITE}/a`]: '<title>a</title><a href="/lost/1" rel="UGC">1</a> <a href="/lost/2">2</a>',
    };
    await using crawl = await crawled({ pages, seeds: [`${SITE}/`, `${SITE}/lost/1`] });
    const broken = async (): Promise<string[]> =>
      (await findingsOf(crawl)).names.filter((name) => name.startsWith('link-broken'));
    expect(await broken()).toHaveLength(3);
    await ignoreFindings(crawl, { rule: 'broken', url: '*', rel: 'ugc' });
    await ignoreFindings(crawl, { rule: '*', url: '*', rel: 'sponsored' });
    expect(await broken()).toEqual([`link-broken ${SITE}/lost/2`, `link-broken ${SITE}/lost/3`]);
    expect((await findingsOf(crawl)).summary).toMatchObject({ ignored: 1, unusedIgnores: ['* * rel=sponsored'] });
    await expect(ignoreFindings(crawl, { rule: '*', url: '*', rel: 'noopener' as 'ugc' })).rejects.toMatchObject({
      code: 'USAGE',
    });
    expect(await tellFindings(crawl, 'broken', '*')).toBe(false);
    expect(await tellFindings(crawl, 'broken', '*', 'ugc')).toBe(true);
    expect(await broken()).toHaveLength(3);
  });

  it('reports pages with neither facts nor bodies, and that nothing was fetched', async () => {
    const web = fakeWeb({ [`${SITE}/`]: '<title>h</title><a href="/lost">l</a>' });
    await using crawl = await testCrawl(web, { settings: WITHOUT_BODIES });
    const empty = await findingsOf(crawl);
    expect(empty.summary).toMatchObject({ complete: false, because: ['no page was fetched'], pages: 0 });
    await jobs.crawl(crawl, { seeds: [`${SITE}/`] });
    await expect(audit(crawl)).rejects.toMatchObject({ code: 'NO_FACTS' });
  });

  it('states what was not checked', async () => {
    const web = fakeWeb({
      [`${SITE}/`]: '<title>h</title><a href="/a">a</a> <a href="/b">b</a>',
      [`${SITE}/a`]: '<title>a</title>',
    });
    await using crawl = await testCrawl(web, { settings: SETTINGS });
    await jobs.crawl(crawl, { seeds: [`${SITE}/`], maxPages: 1 });
    const { summary } = await findingsOf(crawl);
    expect(summary).toMatchObject({
      complete: false,
      because: [`2 pages known and not fetched yet: ${SITE}/a, ${SITE}/b`],
    });
    web.set(`${SITE}/robots.txt`, { html: 'User-agent: *\nDisallow: /', contentType: 'text/plain' });
    await using denied = await testCrawl(web, { settings: SETTINGS });
    await jobs.crawl(denied, { seeds: [`${SITE}/`] });
    const why = ['robots.txt denies the seed', `1 page named as a seed and denied by robots.txt: ${SITE}/`];
    expect((await findingsOf(denied)).summary.because).toEqual(why);
    web.set(`${SITE}/robots.txt`, { status: 404 });
    await using few = await testCrawl(web, { settings: { ...SETTINGS, 'db.maxOutlinksPerPage': 1 } });
    await jobs.crawl(few, { seeds: [`${SITE}/`] });
    const { because } = (await findingsOf(few)).summary;
    expect(because).toEqual([
      `1 page with at least as many links as db.maxOutlinksPerPage lets a crawl follow: ${SITE}/`,
    ]);
  });

  it('has all links of a page whose text exceeds parser.textLimit, and is complete', async () => {
    const pages = {
      [`${SITE}/`]: page('home', `${'word '.repeat(1000)}<a href="/lost">l</a>`),
    };
    await using crawl = await crawled({ pages, seeds: [`${SITE}/`] }, fakeWeb(pages), {
      ...SETTINGS,
      'parser.textLimit': 100,
    });
    const { names, summary } = await findingsOf(crawl);
    expect(names).toEqual([`link-broken ${SITE}/lost`]);
    expect(summary.because).toEqual([]);
  });

  it('is complete if a page has failed in two crawls, which is a fault even of a page without links', async () => {
    const pages = { [`${SITE}/`]: page('home', 'x'), [`${SITE}/down`]: { status: 500 } };
    await using crawl = await testCrawl(fakeWeb(pages), { settings: SETTINGS });
    const seeds = [`${SITE}/`, `${SITE}/down`];
    await jobs.crawl(crawl, { seeds });
    expect((await findingsOf(crawl)).summary.because).toEqual([`1 page failed, and will be retried: ${SITE}/down`]);
    crawl.setTime(START + 2 * DAY);
    await jobs.crawl(crawl, { seeds });
    const { names, summary } = await findingsOf(crawl);
    expect(names).toEqual([`link-server-error ${SITE}/down`]);
    expect(summary.complete).toBe(true);
  });

  it('is tested with 80 faults and 40 cases without a fault', () => {
    expect(site.innocent.length + troubled.innocent.length).toBeGreaterThanOrEqual(40);
    expect(site.faults.length + troubled.faults.length).toBeGreaterThanOrEqual(80);
  });
});
