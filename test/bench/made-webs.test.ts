import { describe, expect, it } from 'vitest';
import { CYCLE_TIME, LOAD_TIME, linksOf, tableRows, type TablePlan } from '../../bench/lib/cycle-table.js';
import { answerOf, pageUrl } from '../../bench/lib/endless-web.js';
import { madeUpPage, addressOf, pathOf, SHAPES } from '../../bench/lib/made-up-site.js';
import { rowKeyOf } from '../../packages/webcrawl/internal.js';

const PLAN: TablePlan = { hosts: 40, rowsPerHost: 5, pool: 100, bigHostRows: 30, notDue: 0, refused: 0 };
const hrefs = (html: string): string[] => [...html.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href);

describe('the table of cycle', () => {
  it('has the planned number of rows, in key order, all due and none twice', () => {
    const rows = [...tableRows(PLAN)];
    const keys = rows.map(({ key }) => key);
    expect(keys).toHaveLength(230);
    expect(keys).toEqual([...new Set(keys)].sort());
    expect(rows.every(({ set }) => set!.dueAt! <= LOAD_TIME)).toBe(true);
  });

  it('puts one host before all others', () => {
    const best = [...tableRows(PLAN)].sort((a, b) => b.set!.score! - a.set!.score!).slice(0, 30);
    expect(new Set(best.map(({ key }) => key.slice(0, key.lastIndexOf('/')))).size).toBe(1);
  });

  it('has rows that settings can refuse: due, and better than all others except those of the one host', () => {
    const [wanted, refused] = [false, true].map((is) =>
      [...tableRows({ ...PLAN, bigHostRows: 0, refused: 9 })].filter(({ key }) => key.includes('/refused/') === is),
    );
    expect([wanted!.length, refused!.length]).toEqual([200, 1800]);
    expect(new Set(refused!.map(({ key }) => key)).size).toBe(1800);
    for (const { set } of refused!) expect(set).toMatchObject({ status: 'redir_temp', distance: 2 });
    const scores = (rows: typeof wanted) => rows!.map(({ set }) => set!.score!);
    expect(Math.min(...scores(refused))).toBeGreaterThanOrEqual(Math.max(...scores(wanted)));
    expect(refused!.every(({ set }) => set!.dueAt! <= LOAD_TIME)).toBe(true);
  });

  it('has rows that are not due; some of them become due by the time of the cycle', () => {
    const times = [...tableRows({ ...PLAN, rowsPerHost: 500, notDue: 0.9 })].map(({ set }) => set!.dueAt!);
    const [atLoad, inCycle] = [LOAD_TIME, CYCLE_TIME].map((now) => times.filter((time) => time <= now).length);
    expect(atLoad! / times.length).toBeCloseTo(0.1, 1);
    expect(inCycle).toBeGreaterThan(atLoad!);
  });

  it('has pages with half of their links to rows of the pool, whose size is the same in each table', () => {
    for (const plan of [PLAN, { ...PLAN, hosts: 200, rowsPerHost: 50 }]) {
      const keys = new Set([...tableRows(plan)].map(({ key }) => key));
      const pages = [...keys].slice(0, 150).map((key) => key.split(':http'));
      const links = pages.flatMap(([host = '', path = '']) => linksOf(host.split('.').reverse().join('.'), path));
      const known = links.map(rowKeyOf).filter((key) => keys.has(key));
      expect(known).toHaveLength(links.length / 2);
      expect(new Set(known).size).toBeLessThanOrEqual(PLAN.pool);
      expect(new Set(known).size).toBeGreaterThan(PLAN.pool * 0.9);
    }
  });
});

describe('the endless web', () => {
  it('answers with the documented shares of pages, redirects and failures', () => {
    const count: Record<string, number> = {};
    for (let host = 0; host < 50; host++) {
      for (let page = 0; page < 100; page++) {
        const { host: name, pathname } = new URL(pageUrl(1000, host, page));
        const answer = answerOf(name, pathname);
        count[answer.kind] = (count[answer.kind] ?? 0) + 1;
      }
    }
    expect(count.content! / 5000).toBeCloseTo(0.92, 1);
    expect(Object.keys(count).sort()).toEqual(['content', 'gone', 'redirect', 'retry']);
  });

  it('gives the same answers every time', () => {
    const crawl = (): string[] => {
      const pages = Array.from({ length: 40 }, (_, page) => answerOf('h7.n1000.example', `/${page}`));
      return pages.map((answer) => (answer.kind === 'content' ? Buffer.from(answer.body).toString() : answer.kind));
    };
    expect(crawl()).toEqual(crawl());
    expect(new Set(crawl()).size).toBeGreaterThan(30);
  });

  it('has 50 links on a page, to its own host and to others of the web', () => {
    const answer = answerOf('h7.n1000.example', '/0');
    const links = hrefs(Buffer.from(answer.kind === 'content' ? answer.body : []).toString());
    expect(links).toHaveLength(50);
    const hosts = links.map((link) => /^http:\/\/h(\d+)\.n1000\.example\/\d\d?$/.exec(link)?.[1]);
    expect(hosts).not.toContain(undefined);
    expect(hosts.filter((host) => host === '7').length).toBeGreaterThanOrEqual(35);
    expect(new Set(hosts).size).toBeGreaterThan(10);
  });
});

describe('the made-up site', () => {
  it('can be reached from the front page completely, and has dead links', () => {
    const site = { shape: SHAPES.synthetic, hosts: 60, pagesPerHost: 10, port: 80 };
    const hosts = new Map(Array.from({ length: site.hosts }, (_, i) => [addressOf(i), i]));
    expect(hosts.size).toBe(site.hosts);
    const seen = new Set([`http://${addressOf(0)}/`]);
    let dead = 0;
    for (const url of seen) {
      const { hostname, pathname } = new URL(url);
      const html = madeUpPage(site, hosts.get(hostname)!, pathname);
      if (html === undefined) dead += 1;
      for (const href of hrefs(html ?? '')) seen.add(new URL(href, url).href);
    }
    expect(seen.size - dead).toBe(600);
    expect(dead).toBeGreaterThan(0);
  });

  it.each([
    ['link-heavy', 150, 8000],
    ['small-pages', 7, 1000],
  ] as const)('all pages of a host of %s can be reached from its front page', (name, links, bytes) => {
    const site = { shape: SHAPES[name], hosts: 2, pagesPerHost: 1000, port: 80 };
    for (const host of [0, 1]) {
      const seen = new Set(['/']);
      let dead = 0;
      for (const path of seen) {
        const html = madeUpPage(site, host, path);
        if (html === undefined) dead += 1;
        for (const href of hrefs(html ?? '')) seen.add(href);
      }
      expect([...seen].every((path) => path.startsWith('/'))).toBe(true);
      expect([seen.size - dead, dead]).toEqual([1000, 1]);
    }
    const html = madeUpPage(site, 0, pathOf(100))!;
    expect(hrefs(html)).toHaveLength(links);
    expect(html.length / bytes).toBeCloseTo(1, 0);
    expect(html).not.toBe(madeUpPage(site, 1, pathOf(100)));
  });

  it('has a loopback address for each of 200,000 hosts', () => {
    const addresses = Array.from({ length: 200_000 }, (_, i) => addressOf(i));
    expect(new Set(addresses).size).toBe(200_000);
    expect(addresses.every((address) => /^127(\.(25[0-4]|2[0-4]\d|1?\d?\d)){3}$/.test(address))).toBe(true);
  });
});
