import { describe, expect, it } from 'vitest';
import {
  audit,
  jobs,
  type AuditFinding,
  type AuditOptions,
  type OpenContext,
} from '../../packages/webcrawl/internal.js';
import type { FetchOutcome, FetchRequest, Plugin } from '../../packages/webcrawl/internal.js';
import { START, testCrawl } from '../support/test-crawl.js';

const SITE = 'http://site.example';
const OTHER = 'http://other.example';
const DELAY_MS = 150;
/** The timers of Node may be a millisecond early. */
const EARLY_MS = 2;

interface Sent {
  readonly url: string;
  readonly method: 'GET' | 'HEAD';
  readonly began: number;
  readonly ended: number;
}

type Respond = (request: FetchRequest) => FetchOutcome | Promise<FetchOutcome>;

/** A web that records when each request began and ended. */
function recordedWeb(respond: Respond) {
  const sent: Sent[] = [];
  const plugin: Plugin = {
    name: 'recorded-web',
    protocol: {
      schemes: ['http'],
      async fetch(request) {
        const began = performance.now();
        const outcome = await respond(request);
        const method = request.headOnly ? 'HEAD' : 'GET';
        sent.push({ url: request.url, method, began, ended: performance.now() });
        return outcome;
      },
    },
  };
  return {
    plugin,
    sent,
    to: (host: string) => sent.filter(({ url }) => url.startsWith(host)).sort((a, b) => a.began - b.began),
  };
}

const html = (body: string): FetchOutcome => ({
  kind: 'content',
  code: 'success',
  http: 200,
  contentType: 'text/html',
  headers: { 'content-type': 'text/html' },
  body: Buffer.from(`<title>t</title>${body}`),
  truncated: false,
});
const absent: FetchOutcome = { kind: 'gone', code: 'not_found', http: 404 };
const robots = (text: string): FetchOutcome =>
  ({ ...html(''), contentType: 'text/plain', body: Buffer.from(text) }) as FetchOutcome;
const timeout: FetchOutcome = { kind: 'retry', code: 'timeout' };
const throttled = (retryAfter: number): FetchOutcome => ({ kind: 'retry', code: 'throttled', http: 429, retryAfter });

async function findingsOf(crawl: OpenContext, options: AuditOptions): Promise<AuditFinding[]> {
  await using report = await audit(crawl, options);
  const findings: AuditFinding[] = [];
  for await (const finding of report.findings) findings.push(finding);
  return findings;
}

/** The requests that began less than the delay after the end of the one before, by host. */
function tooEarly(sent: readonly Sent[], delay = DELAY_MS): string[] {
  const last = new Map<string, number>();
  return [...sent]
    .sort((a, b) => a.began - b.began)
    .flatMap(({ url, method, began, ended }) => {
      const { host } = new URL(url);
      const gap = began - (last.get(host) ?? -Infinity);
      last.set(host, ended);
      return gap < delay - EARLY_MS ? [`${method} ${url} after ${Math.round(gap)} ms`] : [];
    });
}

const PARTS = [1, 2, 3].map((n) => `<img src="/i${n}.png"><a href="${OTHER}/l${n}">l</a>`).join('');

describe('requests of an audit', () => {
  it.each([
    ['by fetcher.serverDelay', { 'fetcher.serverDelay': DELAY_MS / 1000 }, absent],
    ['by Crawl-delay', {}, robots(`User-agent: *\nCrawl-delay: ${DELAY_MS / 1000}`)],
  ])('keep the delay of each host after a crawl, %s', async (_, settings, robotsFile) => {
    const web = recordedWeb(({ url }) =>
      url.endsWith('/robots.txt') ? robotsFile : html(url === `${SITE}/` ? PARTS : ''),
    );
    await using crawl = await testCrawl(undefined, { settings, plugins: [web.plugin] });
    await jobs.crawl(crawl, { seeds: [`${SITE}/`] });
    await findingsOf(crawl, { ask: true, external: true });
    expect(web.to(`${SITE}/i`)).toHaveLength(3);
    expect(web.to(`${OTHER}/l`)).toHaveLength(3);
    expect(tooEarly(web.sent)).toEqual([]);
  });

  it('ask for what the facts of pages name, and not for pages that only a feed or a sitemap names', async () => {
    const head = '<link rel="canonical" href="/c1"><link rel="canonical" href="/c2">';
    const feed = '<rss version="2.0"><channel><item><link>/item</link></item></channel></rss>';
    const sitemap = '<urlset><url><loc>http://site.example/listed</loc></url></urlset>';
    const xml = (text: string): FetchOutcome =>
      ({ ...html(''), contentType: 'application/xml', headers: {}, body: Buffer.from(text) }) as FetchOutcome;
    const web = recordedWeb(({ url }) => {
      if (url.endsWith('/robots.txt')) return robots(`Sitemap: ${SITE}/sitemap.xml`);
      if (url.endsWith('/feed.xml')) return xml(feed);
      if (url.endsWith('/sitemap.xml')) return xml(sitemap);
      return html(url === `${SITE}/` ? `${head}<a href="/feed.xml">f</a><a rel="nofollow" href="/n">n</a>` : '');
    });
    const settings = { 'generate.maxDistance': 1 };
    await using crawl = await testCrawl(undefined, { settings, plugins: [web.plugin] });
    await jobs.crawl(crawl, { seeds: [`${SITE}/`] });
    const before = web.sent.length;
    await findingsOf(crawl, { ask: true });
    expect(web.sent.slice(before).map(({ url }) => url.slice(SITE.length))).toEqual([
      '/c1',
      '/c2',
      '/n',
      expect.stringMatching(/^\/[a-z]{16}$/),
    ]);
  });

  it('keep the delay of each host beside a crawl', async () => {
    const pages = Array.from({ length: 8 }, (_, i) => `<a href="/p${i}">p</a>`).join('');
    const web = recordedWeb(({ url }) => {
      if (url.endsWith('/robots.txt')) return absent;
      return html(url === `${SITE}/` ? PARTS + pages : '');
    });
    await using crawl = await testCrawl(undefined, {
      settings: { 'fetcher.serverDelay': DELAY_MS / 1000 },
      plugins: [web.plugin],
    });
    await jobs.crawl(crawl, { seeds: [`${SITE}/`], maxPages: 1 });
    const crawling = jobs.crawl(crawl, { seeds: [`${SITE}/`], refetch: true });
    const findings = await findingsOf(crawl, { ask: true, external: true });
    await crawling;
    expect(findings.map(({ rule }) => rule)).not.toContain('link-unchecked');
    expect(web.to(`${SITE}/i`)).toHaveLength(3);
    expect(web.to(`${SITE}/p`).length).toBeGreaterThanOrEqual(8);
    expect(tooEarly(web.sent)).toEqual([]);
  });

  it('are not sent to a host that is in back-off since the crawl', async () => {
    const web = recordedWeb(({ url }) => {
      if (url.endsWith('/robots.txt')) return absent;
      if (url === `${SITE}/`) return html('<img src="/i1.png"><img src="/i2.png"><a href="/busy">b</a>');
      return throttled(3600);
    });
    await using crawl = await testCrawl(undefined, { plugins: [web.plugin] });
    await jobs.crawl(crawl, { seeds: [`${SITE}/`] });
    const before = web.sent.length;
    const findings = await findingsOf(crawl, { ask: true });
    expect(web.sent).toHaveLength(before);
    expect(findings.filter(({ rule }) => rule === 'link-unchecked')).toMatchObject([
      { state: 'unverified', message: '2 links to site.example not checked: the host is in back-off.' },
    ]);
  });

  it('check each link of a host whose first link times out, by GET too', async () => {
    const web = recordedWeb(({ url, headOnly }) => {
      if (url.endsWith('/robots.txt')) return absent;
      if (url === `${SITE}/`)
        return html(['slow', 'z1', 'z2'].map((path) => `<a href="${OTHER}/${path}">l</a>`).join(''));
      return url.endsWith('/slow') && headOnly ? timeout : html('');
    });
    await using crawl = await testCrawl(undefined, {
      plugins: [web.plugin],
      settings: { 'fetcher.minBackoffSeconds': 0.01 },
    });
    await jobs.crawl(crawl, { seeds: [`${SITE}/`] });
    const findings = await findingsOf(crawl, { external: true });
    const requested = web.to(`${OTHER}/`).map(({ url, method }) => `${method} ${new URL(url).pathname}`);
    expect(requested).toEqual(['GET /robots.txt', 'HEAD /slow', 'GET /slow', 'HEAD /z1', 'HEAD /z2']);
    expect(findings.filter(({ url }) => url.startsWith(OTHER))).toEqual([]);
  });

  it('leave a host out that responds 429 three times, and store nothing for its other links', async () => {
    const hrefs = Array.from({ length: 20 }, (_, i) => `<a href="${OTHER}/l${i}">l</a>`).join('');
    const web = recordedWeb(({ url }) => {
      if (url.endsWith('/robots.txt')) return absent;
      return url === `${SITE}/` ? html(hrefs) : throttled(0.01);
    });
    await using crawl = await testCrawl(undefined, { plugins: [web.plugin] });
    await jobs.crawl(crawl, { seeds: [`${SITE}/`] });
    const findings = await findingsOf(crawl, { external: true });
    expect(web.to(`${OTHER}/l`).map(({ method }) => method)).toEqual(['HEAD', 'HEAD', 'HEAD']);
    expect(findings.find(({ rule }) => rule === 'link-unchecked')).toMatchObject({
      message: '19 links to other.example not checked: the host responded 429 again and again.',
    });
    const notes: string[] = [];
    for await (const [key] of crawl.tables.audits.notes('response')) notes.push(key);
    expect(notes).toHaveLength(1);
  });

  it('check the other links of such a host in the next audit', async () => {
    const web = recordedWeb(({ url }) => {
      if (url === `${SITE}/`) return html(`<a href="${OTHER}/busy">l</a><a href="${OTHER}/gone">l</a>`);
      return url.endsWith('/busy') ? throttled(0.01) : absent;
    });
    await using crawl = await testCrawl(undefined, { plugins: [web.plugin] });
    await jobs.crawl(crawl, { seeds: [`${SITE}/`] });
    const auditOf = async (): Promise<string[]> => {
      const findings = await findingsOf(crawl, { external: true });
      const others = findings.filter(({ url }) => url.startsWith(OTHER));
      return others.map(({ rule, url }) => `${rule} ${url.slice(OTHER.length)}`).sort();
    };
    expect(await auditOf()).toEqual(['external-unverified /', 'link-unchecked /gone']);
    crawl.setTime(crawl.clock() + 2 * 86_400_000);
    expect(await auditOf()).toEqual(['external-broken /gone', 'external-unverified /']);
  });

  it('report one link of a host that cannot be reached as a fault after a day, and the others as not checked', async () => {
    const hrefs = Array.from({ length: 9 }, (_, i) => `<a href="${OTHER}/l${i}">l</a>`).join('');
    const web = recordedWeb(({ url }) => {
      if (url.startsWith(OTHER)) return { kind: 'retry', code: 'connect_failed' };
      return url === `${SITE}/` ? html(hrefs) : absent;
    });
    await using crawl = await testCrawl(undefined, {
      plugins: [web.plugin],
      settings: { 'fetcher.minBackoffSeconds': 0.01 },
    });
    await jobs.crawl(crawl, { seeds: [`${SITE}/`] });
    const others = {
      rule: 'link-unchecked',
      message: '8 links to other.example not checked: the host did not respond (connect_failed).',
    };
    for (const state of ['unverified', 'open']) {
      const before = web.to(OTHER).length;
      const findings = await findingsOf(crawl, { external: true });
      expect(web.to(OTHER).length - before).toBe(3);
      expect(findings.filter(({ url }) => url.startsWith(OTHER))).toMatchObject([
        { rule: 'external-unreachable', url: `${OTHER}/l0`, state },
        others,
      ]);
      crawl.setTime(crawl.clock() + 2 * 86_400_000);
    }
  });

  it('check the links to a port beside links to another port of the host that cannot be reached', async () => {
    const [closed, well] = [`${OTHER}:1001`, `${OTHER}:1002`];
    const hrefs = [closed, well].flatMap((origin) => [1, 2].map((n) => `<a href="${origin}/l${n}">l</a>`)).join('');
    const web = recordedWeb(({ url }) => {
      if (url.startsWith(closed)) return { kind: 'retry', code: 'connect_failed' };
      return url === `${SITE}/` ? html(hrefs) : absent;
    });
    await using crawl = await testCrawl(undefined, {
      plugins: [web.plugin],
      settings: { 'fetcher.minBackoffSeconds': 0.01 },
    });
    await jobs.crawl(crawl, { seeds: [`${SITE}/`] });
    const findings = await findingsOf(crawl, { external: true });
    const found = findings.flatMap(({ rule, url }) => (url.startsWith(OTHER) ? [`${rule} ${url}`] : []));
    expect(found).toEqual([
      `external-broken ${well}/l1`,
      `external-broken ${well}/l2`,
      `external-unreachable ${closed}/l1`,
      `link-unchecked ${closed}/l2`,
    ]);
  });

  it('do not wait for a time that a clock wrote that was ahead', async () => {
    let isUp = false;
    const web = recordedWeb(({ url }) => {
      if (url.endsWith('/robots.txt')) return absent;
      if (url === `${SITE}/`) return html(`<a href="/once">l</a><a href="${OTHER}/x">l</a>`);
      return isUp ? html('') : { kind: 'retry', code: 'server_error', http: 500 };
    });
    await using crawl = await testCrawl(undefined, { plugins: [web.plugin] });
    crawl.setTime(START + 86_400_000);
    await jobs.crawl(crawl, { seeds: [`${SITE}/`] });
    await findingsOf(crawl, { external: true, maxSeconds: 0.1 });
    crawl.setTime(START);
    isUp = true;
    const before = web.sent.length;
    const findings = await findingsOf(crawl, { ask: true, external: true, maxSeconds: 5 });
    expect(web.sent.slice(before).map(({ url }) => url)).toEqual(
      expect.arrayContaining([`${SITE}/once`, `${OTHER}/x`]),
    );
    expect(findings.map(({ rule }) => rule)).not.toContain('link-unchecked');
  });

  it('follow ten redirects of a link by each method, and no more', async () => {
    const web = recordedWeb(({ url }) => {
      if (url.endsWith('/robots.txt')) return absent;
      if (url === `${SITE}/`) return html(`<a href="${OTHER}/x">l</a>`);
      return { kind: 'redirect', code: 'temp_moved', http: 302, permanent: false, target: `${url}x` };
    });
    await using crawl = await testCrawl(undefined, { plugins: [web.plugin] });
    await jobs.crawl(crawl, { seeds: [`${SITE}/`] });
    await findingsOf(crawl, { external: true });
    const methods = web.to(`${OTHER}/x`).map(({ method }) => method);
    expect(methods.filter((method) => method === 'HEAD')).toHaveLength(11);
    expect(methods).toHaveLength(22);
  });

  it('end at maxSeconds, and the report says so', async () => {
    const web = recordedWeb(({ url }) => {
      if (url.endsWith('/robots.txt')) return absent;
      return html(url === `${SITE}/` ? PARTS : '');
    });
    await using ready = await testCrawl(undefined, { plugins: [web.plugin] });
    await jobs.crawl(ready, { seeds: [`${SITE}/`] });
    const before = web.sent.length;
    const slow = { ...ready, settings: { ...ready.settings, fetcher: { ...ready.settings.fetcher, serverDelay: 30 } } };
    const findings = await findingsOf(slow, { ask: true, maxSeconds: 0.2 });
    expect(web.sent).toHaveLength(before);
    expect(findings.find(({ rule }) => rule === 'link-unchecked')).toMatchObject({
      message: '3 links to site.example not checked: the time limit was reached.',
    });
  });

  it('take a challenge for no fault, with any status', async () => {
    const challenge = (http: number, kind: 'gone' | 'retry'): FetchOutcome => ({
      kind,
      code: 'http_error',
      http,
      headers: { 'cf-mitigated': 'challenge' },
    });
    const web = recordedWeb(({ url }) => {
      if (url === `${SITE}/`) return html(`<a href="${OTHER}/404">l</a><a href="${OTHER}/500">l</a>`);
      if (url.endsWith('/404')) return challenge(404, 'gone');
      return url.endsWith('/500') ? challenge(500, 'retry') : absent;
    });
    await using crawl = await testCrawl(undefined, { plugins: [web.plugin] });
    await jobs.crawl(crawl, { seeds: [`${SITE}/`] });
    const findings = await findingsOf(crawl, { external: true });
    expect(findings.filter(({ url }) => url.startsWith(OTHER)).map(({ rule, state }) => `${rule} ${state}`)).toEqual([
      'external-unverified unverified',
    ]);
    expect(web.to(`${OTHER}/`).map(({ method }) => method)).toEqual(['GET', 'HEAD', 'HEAD']);
  });
});
