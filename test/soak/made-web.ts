import { links, randomWeb, type FakePage } from '../support/web/fake-web.js';
import { serveWeb } from '../support/web/serve-web.js';

/**
 * A small web on loopback, the same for the same seed. Its answers depend only on the day, except those of the host that
 * recovers.
 */
export interface MadeWeb {
  /** Its hosts. No page links to the last one. */
  readonly origins: readonly string[];
  /** The number of requests for pages so far. */
  readonly requests: number;
  /** Sets the day. If `anew` is true, the host that recovers answers 503 to its next requests. */
  setDay(day: number, anew: boolean): void;
  close(): Promise<void>;
}

const LINKED = 4;
const PAGES = 90;
/** Number of pages of the host to which no other host links. */
const APART = 12;
/** Number of pages in a section that links only to itself and the root. */
const TAGS = 30;
/** The hosts with a special behaviour: one has a sitemap and forbidden pages, one is slow, one answers 503 at first. */
const WITH_SITEMAP = 1;
const SLOW = 2;
const RECOVERS = 3;
const SLOW_MS = 40;
const REFUSALS = 2;
const DAY = 86_400_000;
/** Makes the pages large enough in total that parse threads are started. */
const PADDING = `<!--${' '.repeat(20_000)}-->`;

export async function madeWeb(seed: number): Promise<MadeWeb> {
  const begun = Date.now();
  let day = 0;
  let refusals = 0;
  let requests = 0;
  const hosts: { [path: string]: FakePage }[] = Array.from({ length: LINKED + 1 }, () => ({}));

  async function answer(host: number, path: string): Promise<FakePage | undefined> {
    requests += 1;
    if (host === SLOW) await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
    if (host === RECOVERS && refusals++ < REFUSALS) return { status: 503 };
    const page = hosts[host]![path];
    return page === undefined ? undefined : onDay(page, path);
  }

  /** Changes a page by the day: some change, some disappear, some appear later. */
  function onDay(page: FakePage, path: string): FakePage | undefined {
    if (path === '/news') return { html: `<html lang="${day % 2 ? 'en' : 'de'}"><title>day ${day}</title>${PADDING}` };
    if (path === '/late' && day < 8) return { status: 500 };
    if (path === '/early' && day >= 8) return undefined;
    if (path === '/sitemap.xml') {
      const lastmod = new Date(begun + (day - 0.5) * DAY).toISOString();
      return { ...page, html: page.html!.replaceAll('LASTMOD', lastmod) };
    }
    return page;
  }

  const served = await Promise.all(
    hosts.map((_, host) => serveWeb((path) => answer(host, path), `127.0.0.${host + 1}`)),
  );
  const origins = served.map(({ origin }) => origin);
  const placed = (text: string): string =>
    text.replace(/http:\/\/h(\d)\.example\.com/g, (_, host) => origins[Number(host)]!);

  const { pages } = randomWeb(seed, PAGES, LINKED);
  for (const [i, [url, page]] of Object.entries(pages).entries()) {
    const { origin, pathname } = new URL(placed(url));
    hosts[origins.indexOf(origin)]![pathname] = {
      ...page,
      ...(page.location !== undefined && { location: placed(page.location) }),
      ...(page.html !== undefined && { html: placed(page.html) + PADDING }),
      ...(i % 3 === 0 && page.html !== undefined && { headers: { etag: `"${i}"` } }),
    };
  }
  // Pages that link and redirect to themselves, and pages that depend on the day.
  const first = hosts[0]!;
  first['/'] = {
    html: links('/', '/self', '/news', '/late', '/early', '/tag/0', `${origins[1]}/private/a`) + first['/']!.html!,
  };
  first['/self'] = { location: '/self2' };
  first['/self2'] = { location: '/self' };
  for (const path of ['/news', '/late', '/early']) first[path] = { html: links('/') + PADDING };
  for (let i = 0; i < TAGS; i++)
    first[`/tag/${i}`] = { html: links(`/tag/${(i * 7 + 1) % TAGS}`, `/tag/${i + 1}`, '/') };
  const listed = ['/s1', '/s2', '/s3', '/'].map(
    (path) => `<url><loc>${origins[WITH_SITEMAP]}${path}</loc><lastmod>LASTMOD</lastmod></url>`,
  );
  Object.assign(hosts[WITH_SITEMAP]!, {
    '/robots.txt': {
      html: `User-agent: *\nDisallow: /private\nSitemap: ${origins[WITH_SITEMAP]}/sitemap.xml\n`,
      contentType: 'text/plain',
    },
    '/sitemap.xml': { html: `<urlset>${listed.join('')}</urlset>`, contentType: 'application/xml' },
    '/s1': { html: links('/s2', '/') },
    '/s2': { location: '/s3' },
    '/s3': { html: links('/s1') },
  });
  for (let i = 0; i < APART; i++)
    hosts[LINKED]![`/a${i}`] = { html: links(`/a${(i + 1) % APART}`, `${origins[0]}/`) + PADDING };

  return {
    origins,
    get requests() {
      return requests;
    },
    setDay(now, anew) {
      day = now;
      if (anew) refusals = 0;
    },
    close: async () => void (await Promise.all(served.map((web) => web.close()))),
  };
}
