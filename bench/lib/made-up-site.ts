import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { madePage, mix } from './made-page.js';

export interface PageShape {
  /**
   * Number of links to further pages: page n leads to this number of pages of its host, from n times the number plus one on. So all can be
   * reached from the front page.
   */
  readonly children: number;
  readonly menu: number;
  /** Number of random links; one in fifty leads nowhere. */
  readonly random: number;
  /** One in this number of the random links stays on its host; 1: all do. */
  readonly ownEvery: number;
  /** Number of words of one page in a hundred, of ten in a hundred, and of the others. */
  readonly words: readonly [number, number, number];
}

export const SHAPES = {
  /** Many hosts with links to one another. Front pages lead to all pages of their host. */
  synthetic: { children: 10, menu: 0, random: 15, ownEvery: 3, words: [50_000, 10_000, 300] },
  /** 150 links on a page, most of them the same on every page. */
  'link-heavy': { children: 5, menu: 120, random: 25, ownEvery: 1, words: [300, 300, 300] },
  'small-pages': { children: 4, menu: 0, random: 3, ownEvery: 1, words: [100, 100, 100] },
} as const satisfies Readonly<Record<string, PageShape>>;

export type MadeUpName = keyof typeof SHAPES;

export interface MadeUpSite {
  readonly shape: PageShape;
  readonly hosts: number;
  readonly pagesPerHost: number;
  readonly port: number;
}

/** The address of a host: one of 127.0.0.0/8. */
export function addressOf(host: number): string {
  return `127.${1 + Math.floor(host / 62_500)}.${Math.floor(host / 250) % 250}.${1 + (host % 250)}`;
}

function pathOf(page: number): string {
  return page === 0 ? '/' : `/page/${page}.html`;
}

/**
 * The page at a path of a host. Undefined: there is none. All pages of a host can be reached from its front page. If links leave hosts,
 * front pages lead to two other hosts, so that all hosts can be reached from the first.
 */
export function madeUpPage(site: MadeUpSite, host: number, path: string): string | undefined {
  const page = path === '/' ? 0 : Number(/^\/page\/(\d+)\.html$/.exec(path)?.[1] ?? NaN);
  if (!(page < site.pagesPerHost)) return undefined;
  const { children, menu, random, ownEvery, words } = site.shape;
  const seed = mix(host, page, 7);
  const links: string[] = [];
  for (let other = 1; other <= Math.min(menu, site.pagesPerHost - 1); other++) links.push(pathOf(other));
  const child = children * page + 1;
  for (let other = child; other < Math.min(child + children, site.pagesPerHost); other++) links.push(pathOf(other));
  if (page === 0 && ownEvery > 1)
    for (const other of [2 * host + 1, 2 * host + 2]) if (other < site.hosts) links.push(urlOf(site, other, 0));
  for (let i = 0; i < random; i++) {
    const lot = mix(seed, i);
    const target = lot % 50 === 0 ? site.pagesPerHost + (lot % 10) : (lot >>> 8) % site.pagesPerHost;
    links.push(i % ownEvery === 0 ? pathOf(target) : urlOf(site, mix(seed, i, 1) % site.hosts, target));
  }
  const lot = seed % 100;
  return madePage(seed, links, words[lot === 0 ? 0 : lot < 11 ? 1 : 2]);
}

function urlOf({ port }: MadeUpSite, host: number, page: number): string {
  return `http://${addressOf(host)}:${port}${pathOf(page)}`;
}

/**
 * Writes the pages of a made-up site as files, each host into a folder named by its address. Links must stay on hosts, as the port is
 * unknown.
 */
export async function writeMadeUpSite(folder: string, site: Omit<MadeUpSite, 'port'>): Promise<void> {
  for (let host = 0; host < site.hosts; host++) {
    const root = join(folder, addressOf(host));
    await mkdir(join(root, dirname(pathOf(1))), { recursive: true });
    for (let page = 0; page < site.pagesPerHost; page++) {
      const path = pathOf(page);
      const html = madeUpPage({ ...site, port: 0 }, host, path);
      await writeFile(join(root, path === '/' ? 'index.html' : path), html!);
    }
  }
}
