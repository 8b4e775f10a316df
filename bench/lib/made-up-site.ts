import { madePage, mix } from './made-page.js';

/** A site of many hosts, every page of which follows from its URL. */
export interface MadeUpSite {
  readonly hosts: number;
  readonly pagesPerHost: number;
  readonly port: number;
}

const LINKS = 15;

/** The address of a host: one of 127.0.0.0/8. */
export function addressOf(host: number): string {
  return `127.${1 + Math.floor(host / 62_500)}.${Math.floor(host / 250) % 250}.${1 + (host % 250)}`;
}

/**
 * The page at a path of a host; undefined where there is none. Front pages lead to every page of their host and to two
 * other hosts, so that all can be reached; all pages have links at random, of which one in fifty leads nowhere. Of a
 * hundred pages 89 are small, ten have 60 KB of text and one has 300 KB.
 */
export function madeUpPage(site: MadeUpSite, host: number, path: string): string | undefined {
  const page = path === '/' ? 0 : Number(/^\/page\/(\d+)$/.exec(path)?.[1] ?? NaN);
  if (!(page < site.pagesPerHost)) return undefined;
  const seed = mix(host, page, 7);
  const links: string[] = [];
  if (page === 0) {
    for (let other = 1; other < site.pagesPerHost; other++) links.push(`/page/${other}`);
    for (const other of [2 * host + 1, 2 * host + 2]) if (other < site.hosts) links.push(urlOf(site, other, 0));
  }
  for (let i = 0; i < LINKS; i++) {
    const random = mix(seed, i);
    const target = random % 50 === 0 ? site.pagesPerHost + (random % 10) : (random >>> 8) % site.pagesPerHost;
    links.push(urlOf(site, i % 3 === 0 ? host : mix(seed, i, 1) % site.hosts, target));
  }
  const lot = seed % 100;
  return madePage(seed, links, lot === 0 ? 50_000 : lot < 11 ? 10_000 : 300);
}

function urlOf({ port }: MadeUpSite, host: number, page: number): string {
  return `http://${addressOf(host)}:${port}${page === 0 ? '/' : `/page/${page}`}`;
}
