import { links, randomNumbers, type FakePage } from './fake-web.js';

/** A made-up web of sites with sections. */
export interface SectionedWeb {
  readonly pages: Readonly<Record<string, FakePage>>;
  readonly seeds: readonly string[];
  /** All relevant URLs, even those without a link to them. */
  readonly useful: readonly string[];
}

/** A text in the URLs of relevant pages. */
export const USEFUL = '/story-';

type Below = (n: number) => number;

/** A page of a section. */
interface Entry {
  readonly url: string;
  /** Pages of the same name have the same bytes. Default: no other page has them. */
  readonly document?: string;
}

/** Sections of 60 to 200 irrelevant pages. */
const SECTIONS: Readonly<Record<string, (home: string, folder: string, below: Below) => Entry[]>> = {
  plain: (_, folder, below) =>
    counted(60 + below(100), (i) => ({
      url: folder + (below(5) === 0 ? `p?n=${i}` : `${'abc'[below(3)]!}/${i}`),
    })),
  facets: (_, folder, below) => {
    const isSame = below(2) === 0;
    return counted(6 + below(3), (j) => `${folder}list-${j}`).flatMap((list) => [
      { url: list, document: list },
      ...['up', 'down', 'new', 'old'].flatMap((sort) =>
        ['', '&by=ann', '&by=ben'].map((by) => ({
          url: `${list}?sort=${sort}${by}`,
          document: isSame ? list : `${list} ${sort} ${by}`,
        })),
      ),
    ]);
  },
  pathFacets: (_, folder) => {
    const words = ['red', 'big', 'new', 'old', 'wet', 'dry', 'hot', 'raw', 'odd'];
    const tags = `${folder}tag/`;
    const pairs = words.flatMap((a) => words.filter((b) => b !== a).map((b) => `${tags}${a}/${b}`));
    return [...words.map((word) => `${tags}${word}`), ...pairs].map((url) => ({ url }));
  },
  sessions: (_, folder, below) => {
    const ids = counted(3 + below(3), () => counted(16, () => '0123456789abcdef'[below(16)]!).join(''));
    return counted(15 + below(10), (j) => `${folder}p-${j}`).flatMap((page) =>
      ['', ...ids.map((id) => `?sid=a1b2${id}`)].map((query) => ({ url: page + query, document: page })),
    );
  },
  calendar: (_, folder, below) =>
    counted(60 + below(60), (i) => ({ url: `${folder}${2000 + Math.floor(i / 12)}/${1 + (i % 12)}` })),
  pages: (_, folder, below) =>
    counted(90 + below(60), (i) => ({ url: `${folder}cat-${i % 3}?page=${Math.floor(i / 3)}` })),
  print: (_, folder, below) =>
    counted(60 + below(20), (i) => `${folder}a/p-${i}`).flatMap((page) =>
      ['', '/print'].map((end) => ({ url: page + end, document: page })),
    ),
  copies: (home, folder, below) =>
    counted(60 + below(20), (i) => `${folder.slice(home.length)}a/p-${i}`).flatMap((path) =>
      ['', 'mirror/'].map((prefix) => ({ url: home + prefix + path, document: home + path })),
    ),
};
const NAMES = Object.keys(SECTIONS);
/** The folder of relevant pages within a section, for sections whose pages are all in one folder. */
const INSIDE: Readonly<Record<string, string>> = { pathFacets: 'tag/', print: 'a/', copies: 'a/' };

/** Whether a domain answers with and without `www`; for `broken` only some of its pages do. */
type Twin = 'none' | 'whole' | 'broken';

/**
 * A web of one or two domains, the same for the same seed. Each has one to three origins (with and without www, other ports and schemes).
 * Origins have sections of relevant pages or of others: facets, sessions, calendars, copies and more, as chains, lists, circles, trees.
 * Some relevant pages are within such a section; some are only reached through one, some by a redirect, by a page of another host or
 * domain, and some not at all. Some domains have the same pages with and without `www`, and some have nearly no relevant pages.
 */
export function sectionedWeb(seed: number): SectionedWeb {
  const random = randomNumbers(seed);
  const below: Below = (n) => Math.floor(random() * n);
  const chance = (p: number): boolean => random() < p;
  /** The links of a document. */
  const outgoing = new Map<string, string[]>();
  const documents = new Map<string, string>();
  const twins = new Map<string, Twin>();
  const link = (from: string, ...to: string[]): void => {
    const document = documents.get(from) ?? from;
    const list = outgoing.get(document);
    if (list) list.push(...to);
    else outgoing.set(document, [...to]);
  };
  const seeds: string[] = [];
  const sections: (readonly string[])[] = [];
  const homes: string[] = [];

  function addSection(home: string, entries: readonly Entry[]): void {
    for (const { url, document } of entries) if (document !== undefined) documents.set(url, document);
    const urls = entries.map(({ url }) => url);
    const shape = below(4);
    for (const [i, url] of urls.entries()) {
      if (shape === 0) link(url, urls[(i + 1) % urls.length]!);
      else if (shape === 1 && i > 0) link(urls[0]!, url);
      else if (shape === 2 && i > 0) link(urls[below(i)]!, url);
      else if (shape === 3) link(url, ...urls.slice(i + 1, i + 3));
      if (chance(0.1)) link(url, home);
    }
    sections.push(urls);
    const isListed = !urls[0]!.includes(USEFUL) || chance(0.75);
    if (isListed) link(home, urls[0]!, ...urls.filter((url) => url.includes(USEFUL) && chance(0.5)));
  }

  for (let d = 0; d < 1 + below(2); d++) {
    const domain = `site${d}.com`;
    const twin: Twin = chance(0.3) ? (chance(0.6) ? 'whole' : 'broken') : 'none';
    twins.set(domain, twin);
    const isPoor = chance(0.25);
    const main = `${chance(0.2) ? 'https' : 'http'}://www.${domain}`;
    const others = [`http://www.${domain}:8080`, `https://www.${domain}`, `http://forum.${domain}`];
    if (twin === 'none') others.push(`http://${domain}`);
    const origins = [main, ...others.filter((origin) => origin !== main && chance(0.25))].slice(
      0,
      twin === 'none' ? 3 : 1,
    );
    for (const [o, origin] of origins.entries()) {
      const home = `${origin}/`;
      homes.push(home);
      link(home);
      if (o === 0 && (d === 0 || chance(0.7))) seeds.push(home);
      else link(homes[below(homes.length - 1)]!, home);
      const stories = (folder: string, count: number): Entry[] =>
        counted(count, (i) => ({ url: `${folder}${USEFUL.slice(1)}${i}` }));
      if (!isPoor) addSection(home, stories(`${home}s0/`, 6 + below(12)));
      for (let s = 1; s <= 1 + below(twin === 'none' ? 3 : 2); s++) {
        const folder = `${home}${chance(0.2) ? 'en/' : ''}s${s}/`;
        const name = NAMES[below(NAMES.length)]!;
        const entries = SECTIONS[name]!(home, folder, below);
        addSection(home, entries);
        if (isPoor ? chance(0.8) : chance(0.3)) continue;
        // Within the section, so that it cannot be rejected as a whole; some are linked only from its pages.
        const within = stories(folder + (INSIDE[name] ?? ''), 1 + below(3)).map(({ url }) => url);
        sections.push(within);
        for (const url of within) link(chance(0.15) ? entries[below(entries.length)]!.url : home, url);
      }
    }
  }

  const all = [...new Set(sections.flat())];
  const any = (): string => all[below(all.length)]!;
  const pages: Record<string, FakePage> = {};
  for (const url of all) {
    if (!url.includes(USEFUL) || chance(0.7)) continue;
    // Any page may link there, mostly irrelevant ones.
    if (chance(0.5)) link(any(), url);
    else {
      const by = any().replace(/[^/]*$/, `go-${below(1000)}`);
      pages[by] = { location: url, status: [301, 302, 307][below(3)]! };
      link(any(), by);
    }
  }
  for (let i = 0; i < all.length / 10; i++) link(any(), any());

  const twinOf = (url: string): Twin => twins.get(/(site\d\.com)/.exec(url)![1]!)!;
  const bare = (url: string): string => url.replace('://www.', '://');
  const isBoth = chance(0.7);
  /** A site that answers in both forms has links in both. */
  const written = (url: string): string[] => {
    if (twinOf(url) === 'none') return [url];
    return isBoth ? [url, bare(url)] : [chance(0.5) ? bare(url) : url];
  };
  const made = new Map<string, FakePage>();
  const pageOf = (url: string): FakePage => {
    const document = documents.get(url) ?? url;
    let page = made.get(document);
    if (!page) {
      const html = links(...(outgoing.get(document) ?? []).flatMap(written));
      made.set(document, (page = { html: `${html}<p>${document}</p>` }));
    }
    return page;
  };
  const set = (url: string, page: FakePage): void => {
    pages[url] = page;
    const twin = twinOf(url);
    const isThere = twin === 'whole' || (twin === 'broken' && !(url.includes(USEFUL) && chance(0.5)));
    if (isThere) pages[bare(url)] = page;
  };
  for (const [url, page] of Object.entries(pages)) set(url, page);
  for (const url of [...homes, ...all]) {
    if (seeds.includes(url) || !chance(0.04)) set(url, pageOf(url));
    else if (chance(0.5)) set(url, { location: any(), status: 301 });
  }
  return { pages, seeds, useful: Object.keys(pages).filter((url) => url.includes(USEFUL)) };
}

/** Options of a walk through the web. */
export interface Look {
  readonly isCut?: (url: string) => boolean;
  /** Rewrites a link. */
  readonly written?: (url: string) => string;
}

/** The URLs of a web that can be reached from the seeds without rejected ones. */
export function reachable(
  { pages, seeds }: SectionedWeb,
  { isCut = () => false, written = (url) => url }: Look = {},
): Set<string> {
  const found = new Set(seeds.map(written).filter((url) => !isCut(url)));
  for (const url of found) {
    for (const target of linksOf(pages[url]).map(written)) if (!isCut(target)) found.add(target);
  }
  return found;
}

/** The links of a page. */
export function linksOf({ html = '', location }: FakePage = {}): string[] {
  if (location !== undefined) return [location];
  return [...new Set(Array.from(html.matchAll(/href="([^"]*)"/g), ([, href = '']) => href.replaceAll('&amp;', '&')))];
}

function counted<T>(count: number, make: (i: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i));
}
