import { links, randomNumbers, type FakePage } from './fake-web.js';

/** A made-up web of sites with sections. */
export interface SectionedWeb {
  readonly pages: Readonly<Record<string, FakePage>>;
  readonly seeds: readonly string[];
  /** All URLs that are useful, whether or not anything leads there. */
  readonly useful: readonly string[];
}

/** What the URLs of useful pages hold. */
export const USEFUL = '/story-';

/** A section of a host: pages under one folder, which link to each other in one way or another. */
interface Section {
  readonly urls: readonly string[];
  readonly isUseful: boolean;
}

/**
 * A web of one to three domains, the same for the same seed. Each has one to three hosts (with and without www, and others), of
 * sections of useful pages or of others: chains, lists, circles, trees and pages that lead nowhere. Some useful pages have no other way
 * than through a section without any, some by a redirect, by a page of another host, or of another domain; some none at all.
 */
export function sectionedWeb(seed: number): SectionedWeb {
  const random = randomNumbers(seed);
  const below = (n: number): number => Math.floor(random() * n);
  const chance = (p: number): boolean => random() < p;
  const pages: Record<string, FakePage> = {};
  const outgoing = new Map<string, string[]>();
  const link = (from: string, ...to: string[]): void => {
    const list = outgoing.get(from);
    if (list) list.push(...to);
    else outgoing.set(from, [...to]);
  };
  const seeds: string[] = [];
  const sections: Section[] = [];
  const homes: string[] = [];

  for (let d = 0; d < 1 + below(3); d++) {
    const domain = `site${d}.com`;
    const hosts = [`www.${domain}`, ...(chance(0.5) ? [domain] : []), ...(chance(0.4) ? [`forum.${domain}`] : [])];
    for (const [h, host] of hosts.entries()) {
      const home = `${chance(0.2) ? 'https' : 'http'}://${host}/`;
      homes.push(home);
      outgoing.set(home, []);
      if (h === 0 && (d === 0 || chance(0.7))) seeds.push(home);
      else link(homes[below(homes.length - 1)]!, home);
      for (let s = 0; s < 1 + below(5); s++) {
        const isUseful = chance(0.35);
        const folder = `${home}${['', 'old/', 'en/'][below(3)]!}s${s}/`;
        const size = isUseful ? 3 + below(10) : 8 + below(40);
        const urls = Array.from({ length: size }, (_, i) => {
          const name = isUseful ? `${USEFUL.slice(1)}${i}` : chance(0.2) ? `p?n=${i}` : `${'abc'[below(3)]!}/${i}`;
          return folder + name;
        });
        const section = { urls, isUseful };
        sections.push(section);
        const shape = below(4);
        for (const [i, url] of urls.entries()) {
          if (shape === 0) link(url, urls[(i + 1) % size]!);
          else if (shape === 1 && i > 0) link(urls[0]!, url);
          else if (shape === 2 && i > 0) link(urls[below(i)]!, url);
          else if (shape === 3) link(url, ...urls.slice(i + 1, i + 3));
          if (chance(0.5)) link(url, home);
        }
        if (!chance(0.25)) link(home, urls[0]!, ...(isUseful ? urls.filter(() => chance(0.5)) : []));
      }
    }
  }

  const all = sections.flatMap(({ urls }) => urls);
  const any = (): string => all[below(all.length)]!;
  for (const { urls, isUseful } of sections) {
    for (const url of urls) {
      if (!isUseful || chance(0.6)) continue;
      // Anything may lead there: mostly what is not useful itself.
      if (chance(0.5)) link(any(), url);
      else {
        const by = any().replace(/[^/]*$/, `go-${below(1000)}`);
        pages[by] = { location: url, status: [301, 302, 307][below(3)]! };
        link(any(), by);
      }
    }
  }
  for (let i = 0; i < all.length / 4; i++) link(any(), any());
  for (const url of [...homes, ...all]) {
    if (chance(0.03)) continue;
    if (chance(0.03)) pages[url] = { location: any(), status: 301 };
    else pages[url] = { html: links(...(outgoing.get(url) ?? [])) };
  }
  for (const seed of seeds) pages[seed] = { html: links(...(outgoing.get(seed) ?? [])) };
  return { pages, seeds, useful: all.filter((url) => url.includes(USEFUL) && pages[url] !== undefined) };
}

/** The pages of a web that can be reached from the seeds without those that are cut. */
export function reachable({ pages, seeds }: SectionedWeb, isCut: (url: string) => boolean = () => false): Set<string> {
  const found = new Set(seeds.filter((url) => !isCut(url)));
  for (const url of found) {
    const { html = '', location } = pages[url] ?? {};
    const targets = [...html.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href);
    for (const target of location === undefined ? targets : [location]) if (!isCut(target)) found.add(target);
  }
  return found;
}
