import { describe, expect, it } from 'vitest';
import { audit, jobs, type AuditFinding, type OpenContext } from '../../packages/webcrawl/internal.js';
import { START, testCrawl, type TestCrawl } from '../support/test-crawl.js';
import { fakeWeb, type FakePage } from '../support/web/fake-web.js';

const DAY = 86_400_000;
const SITE = 'http://site.example';

/** What of a page a fault is made of, without the fault and with it. */
const FAULTS: Readonly<Record<string, readonly [without: string, fault: string]>> = {
  'title-multiple': ['', '<title>Another</title>'],
  'description-missing': ['<meta name="description" content="A page.">', ''],
  'hreflang-invalid': ['', '<link rel="alternate" hreflang="english" href="/">'],
  'hreflang-conflict': [
    '',
    '<link rel="alternate" hreflang="de" href="/"><link rel="alternate" hreflang="de" href="/ok">',
  ],
  'jsonld-invalid': ['', '<script type="application/ld+json">{"a":</script>'],
  'h1-missing': ['<h1>Heading</h1>', ''],
  'image-no-alt': ['<img src="/ok" alt="">', '<img src="/ok">'],
  'link-malformed': ['', '<a href="http://">x</a>'],
  'link-local': ['', '<a href="http://localhost:3000/">dev</a>'],
  'link-broken': ['', '<a href="/gone">x</a>'],
  'redirect-link': ['', '<a href="/moved">x</a>'],
  'fragment-missing': ['', '<a href="/ok#nowhere">x</a>'],
};
const HEAD = new Set([
  'title-multiple',
  'description-missing',
  'hreflang-invalid',
  'hreflang-conflict',
  'jsonld-invalid',
]);
const RULES = Object.keys(FAULTS);

interface Page {
  /** The rules that find a fault. */
  readonly faults: readonly string[];
  readonly title?: string;
  readonly head?: string;
  readonly body?: string;
}

function htmlOf({ faults, title = 'A page', head = '', body = '' }: Page): string {
  const part = (rule: string): string => FAULTS[rule]![faults.includes(rule) ? 1 : 0];
  const inHead = RULES.filter((rule) => HEAD.has(rule)).map(part);
  const inBody = RULES.filter((rule) => !HEAD.has(rule)).map(part);
  return `<html><head><title>${title}</title>${inHead.join('')}${head}</head><body>${inBody.join('')}<p>Words.</p>${body}</body></html>`;
}

const OTHERS: Readonly<Record<string, FakePage>> = {
  [`${SITE}/`]: {
    html: '<title>Home</title><meta name="description" content="Home."><h1>Home</h1><a href="/p/page">p</a><a href="/ok">ok</a>',
  },
  [`${SITE}/ok`]: { html: '<title>Fine</title><meta name="description" content="Fine."><h1>Fine</h1>' },
  [`${SITE}/moved`]: { location: '/ok', status: 301 },
};

async function crawlOf(
  before: Page,
  after: Page | undefined,
  settings: Record<string, unknown> = {},
): Promise<TestCrawl> {
  const web = fakeWeb({ ...OTHERS, [`${SITE}/p/page`]: { html: htmlOf(before) } });
  const crawl = await testCrawl(web, { settings: { 'parser.audit': true, ...settings } });
  await jobs.crawl(crawl, { seeds: [`${SITE}/`] });
  if (after) web.set(`${SITE}/p/page`, { html: htmlOf(after) });
  crawl.setTime(START + 2 * DAY);
  await jobs.crawl(crawl, { seeds: [`${SITE}/`], refetch: true });
  return crawl;
}

async function auditOf(crawl: OpenContext, since = START + DAY) {
  await using report = await audit(crawl, { since });
  const findings: AuditFinding[] = [];
  for await (const finding of report.findings) findings.push(finding);
  return {
    findings,
    summary: report.summary,
    fresh: findings
      .filter(({ isNew, rule }) => isNew && RULES.includes(rule))
      .map(({ rule }) => rule)
      .sort(),
  };
}

describe('a finding is new', () => {
  it.each(RULES)('if its fault was not there before, while the others were: %s', async (rule) => {
    await using crawl = await crawlOf({ faults: RULES.filter((each) => each !== rule) }, { faults: RULES });
    const { findings, fresh, summary } = await auditOf(crawl);
    expect(RULES.filter((each) => !findings.some((finding) => finding.rule === each))).toEqual([]);
    expect(fresh).toEqual([rule]);
    expect(summary.undecided).toBeUndefined();
  });

  it.each([
    ['a token', { head: '<meta name="csrf" content="4711">' }],
    ['a time', { body: '<footer>Page made 2026-11-29T06:12:13Z</footer>' }],
    ['the title', { title: 'A new title' }],
    ['the text', { body: '<p>Much more text than before.</p>' }],
    ['a link that works', { body: '<a href="/ok">more</a>' }],
    ['a place on the page', { body: '<a href="/ok#top">up</a>' }],
    ['an image with alt', { body: '<img src="/ok" alt="ok">' }],
    ['the order of white space', { body: '\n\n\n' }],
  ])('only by its own fact, not by a change of %s', async (_, change) => {
    await using crawl = await crawlOf({ faults: RULES }, { faults: RULES, ...change });
    const { findings, fresh, summary } = await auditOf(crawl);
    expect(RULES.filter((each) => !findings.some((finding) => finding.rule === each))).toEqual([]);
    expect(fresh).toEqual([]);
    expect(summary.undecided).toBeUndefined();
  });

  it('if its page came after the moment', async () => {
    const home = (link: string): FakePage => ({ html: `<title>Home</title><h1>Home</h1><a href="/ok">ok</a>${link}` });
    const web = fakeWeb({ ...OTHERS, [`${SITE}/`]: home('') });
    await using crawl = await testCrawl(web, { settings: { 'parser.audit': true } });
    await jobs.crawl(crawl, { seeds: [`${SITE}/`] });
    web.set(`${SITE}/`, home('<a href="/p/page">p</a>'));
    web.set(`${SITE}/p/page`, { html: htmlOf({ faults: RULES }) });
    crawl.setTime(START + 2 * DAY);
    await jobs.crawl(crawl, { seeds: [`${SITE}/`], refetch: true });
    const { fresh } = await auditOf(crawl);
    expect(fresh).toEqual([...RULES].sort());
  });

  it('not by the first crawl of the table, which is no change', async () => {
    await using crawl = await crawlOf({ faults: RULES }, undefined);
    const { findings, summary } = await auditOf(crawl, START - DAY);
    expect(findings.length).toBeGreaterThan(RULES.length);
    expect(findings.filter(({ isNew }) => isNew)).toEqual([]);
    expect(summary.undecided).toBeUndefined();
  });

  it('not if an old link was requested for the first time after the moment', async () => {
    await using crawl = await crawlOf({ faults: [], body: '<img src="/gone.png" alt="">' }, undefined);
    await using report = await audit(crawl, { since: START + DAY, ask: true });
    const found: AuditFinding[] = [];
    for await (const finding of report.findings) found.push(finding);
    expect(found.filter(({ rule }) => rule === 'resource-broken')).toMatchObject([{ url: `${SITE}/gone.png` }]);
    expect(found.filter(({ isNew }) => isNew)).toEqual([]);
    expect(report.summary.undecided).toBe(1);
  });

  it('if its page came at a URL that had none at the moment', async () => {
    const web = fakeWeb(OTHERS);
    await using crawl = await testCrawl(web, { settings: { 'parser.audit': true } });
    await jobs.crawl(crawl, { seeds: [`${SITE}/`] });
    web.set(`${SITE}/p/page`, { html: htmlOf({ faults: RULES }) });
    crawl.setTime(START + 2 * DAY);
    await jobs.crawl(crawl, { seeds: [`${SITE}/`], refetch: true });
    const { fresh, summary } = await auditOf(crawl);
    expect([fresh, summary.undecided]).toEqual([[...RULES].sort(), undefined]);
  });

  it('by the page that made it so, which the evidence names', async () => {
    const page = (name: string, description: string): FakePage => ({
      html: `<title>${name}</title>${description}<h1>h</h1><a href="/p/a">a</a><a href="/p/b">b</a>`,
    });
    const described = '<meta name="description" content="A page.">';
    const web = fakeWeb({
      [`${SITE}/`]: page('home', described),
      [`${SITE}/p/a`]: page('a', ''),
      [`${SITE}/p/b`]: page('b', described),
    });
    await using crawl = await testCrawl(web, { settings: { 'parser.audit': true } });
    await jobs.crawl(crawl, { seeds: [`${SITE}/`] });
    web.set(`${SITE}/p/a`, page('another title', ''));
    web.set(`${SITE}/p/b`, page('b', ''));
    crawl.setTime(START + 2 * DAY);
    await jobs.crawl(crawl, { seeds: [`${SITE}/`], refetch: true });
    const { findings } = await auditOf(crawl);
    expect(findings.filter(({ isNew }) => isNew)).toMatchObject([
      { rule: 'description-missing', evidence: { new: [`${SITE}/p/b`] } },
    ]);
  });

  it.each([
    ['no longer names it', '', ['hreflang-no-return']],
    ['has another text', 'again', []],
  ])('if a version in another language %s', async (_, after, expected) => {
    const page = (name: string, alternate: string, text = ''): FakePage => ({
      html: `<title>${name}</title><link rel="alternate" hreflang="${name}" href="/${name}">${alternate}<h1>h</h1>${text}<a href="/de">d</a>`,
    });
    const toEnglish = '<link rel="alternate" hreflang="en" href="/en">';
    const toGerman = '<link rel="alternate" hreflang="de" href="/de">';
    const web = fakeWeb({
      [`${SITE}/en`]: page('en', toGerman),
      [`${SITE}/de`]: page('de', after === '' ? toEnglish : ''),
    });
    await using crawl = await testCrawl(web, { settings: { 'parser.audit': true } });
    await jobs.crawl(crawl, { seeds: [`${SITE}/en`] });
    web.set(`${SITE}/de`, page('de', '', after));
    crawl.setTime(START + 2 * DAY);
    await jobs.crawl(crawl, { seeds: [`${SITE}/en`], refetch: true });
    const { findings } = await auditOf(crawl);
    const found = findings.filter(({ rule }) => rule === 'hreflang-no-return');
    expect(found).toHaveLength(1);
    expect(found.filter(({ isNew }) => isNew).map(({ rule }) => rule)).toEqual(expected);
  });

  it('is not told without the version of the moment, and the report names the setting', async () => {
    const token = { head: '<meta name="csrf" content="4711">' };
    await using crawl = await crawlOf({ faults: RULES }, { faults: RULES, ...token }, { 'db.keepVersions': 1 });
    const { findings, fresh, summary } = await auditOf(crawl);
    expect(fresh).toEqual([]);
    expect(summary.undecided).toBe(findings.length);
  });
});
