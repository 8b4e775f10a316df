import type { FetchOutcome, FetchRequest, Plugin } from '../../../packages/webcrawl/index.js';

/** What the fake web answers for one URL. */
export interface FakePage {
  readonly html?: string;
  /** In place of `html`. It is cut where the request says so. */
  readonly body?: Uint8Array;
  readonly status?: number;
  readonly location?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly contentType?: string;
}

export interface FakeWeb extends Plugin {
  /** Every URL that was asked for, in order, robots.txt left out. */
  readonly requests: string[];
  /** Called before each answer, robots.txt left out. */
  onRequest: (url: string) => void | Promise<void>;
  /** Changes or adds a page; undefined removes it. */
  set(url: string, page: FakePage | undefined): void;
}

/** A web in memory behind a protocol plugin: no network, no time. What it does not hold is 404. */
export function fakeWeb(pages: Readonly<Record<string, FakePage | string>>): FakeWeb {
  const web = new Map(
    Object.entries(pages).map(([url, page]) => [url, typeof page === 'string' ? { html: page } : page]),
  );
  const requests: string[] = [];
  const self: FakeWeb = {
    name: 'fake-web',
    requests,
    onRequest: () => {},
    set(url, page) {
      if (page) web.set(url, page);
      else web.delete(url);
    },
    protocol: {
      schemes: ['http', 'https'],
      async fetch(request) {
        if (!request.url.endsWith('/robots.txt')) {
          requests.push(request.url);
          await self.onRequest(request.url);
        }
        return answer(web.get(request.url), request);
      },
    },
  };
  return self;
}

function answer(page: FakePage | undefined, request: FetchRequest): FetchOutcome {
  const http = page ? (page.status ?? (page.location === undefined ? 200 : 301)) : 404;
  const headers = page?.headers ?? {};
  if (request.ifNoneMatch !== undefined && request.ifNoneMatch === headers.etag) {
    return { kind: 'notmodified', code: 'notmodified', http: 304, headers };
  }
  if (http >= 500) return { kind: 'retry', code: 'exception', http };
  if (http >= 400) return { kind: 'gone', code: 'not_found', http };
  if (http >= 300) {
    const target = page?.location === undefined ? null : new URL(page.location, request.url).href;
    return { kind: 'redirect', permanent: http === 301 || http === 308, target, code: 'moved', http, headers };
  }
  const body = page?.body ?? Buffer.from(page?.html ?? '');
  const limit = request.contentLimit ?? Infinity;
  return {
    kind: 'content',
    code: 'success',
    http,
    headers,
    body: body.subarray(0, limit),
    truncated: body.length > limit,
    contentType: page?.contentType ?? 'text/html',
  };
}

/** Links as HTML. */
export function links(...hrefs: string[]): string {
  return `<title>t</title>${hrefs.map((href) => `<p><a href="${href}">to ${href}</a></p>`).join('')}`;
}

/**
 * A web of about `size` pages over `hosts` hosts, the same for the same seed: pages link to each other, some redirect,
 * some are missing, some fail, some are of a type that has no parser.
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

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}
