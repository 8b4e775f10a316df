import { fakeWeb, type FakePage, type FakeWeb } from '../../../packages/webcrawl/testing/fake-web.js';
import { randomNumbers } from '../../../packages/webcrawl/testing/test-crawl.js';

export { fakeWeb, randomNumbers, type FakePage, type FakeWeb };

/** Links as HTML. */
export function links(...hrefs: string[]): string {
  return `<title>t</title>${hrefs.map((href) => `<p><a href="${href}">to ${href}</a></p>`).join('')}`;
}

/**
 * A web of about `size` pages over `hosts` hosts, the same for the same seed: pages link to each other, some redirect, some are missing,
 * some fail, some are of a type without a parser.
 */
export function randomWeb(
  seed: number,
  size: number,
  hosts: number,
): { pages: Record<string, FakePage>; seeds: string[] } {
  const random = randomNumbers(seed);
  const below = (n: number): number => Math.floor(random() * n);
  const urls = Array.from({ length: size }, (_, i) => `http://h${i % hosts}.example.com/${i < hosts ? '' : `p${i}`}`);
  const pages: Record<string, FakePage> = {};
  for (const [i, url] of urls.entries()) {
    const kind = i < hosts ? 1 : random();
    const other = (): string => urls[below(size)]!;
    if (kind < 0.08) pages[url] = { location: other(), status: [301, 302, 307, 308][below(4)]! };
    else if (kind < 0.12) continue;
    else if (kind < 0.15) pages[url] = { status: 500 };
    else if (kind < 0.18) pages[url] = { html: 'GIF89a', contentType: 'image/gif' };
    else {
      const hrefs = Array.from({ length: 1 + below(6) }, other);
      // A chain through all pages, so that each can be reached.
      hrefs.push(urls[(i + 1) % size]!, `${url}#part`, 'mailto:someone@example.com');
      pages[url] = { html: links(...hrefs) };
    }
  }
  return { pages, seeds: urls.slice(0, 2) };
}
