import type { FetchOutcome, FetchRequest, Plugin } from '../../plugin-api/index.js';

/** The response of the fake web for one URL. */
export interface FakePage {
  readonly html?: string;
  /** The body as bytes, instead of `html`. It is truncated at the limit of the request. */
  readonly body?: Uint8Array;
  readonly status?: number;
  readonly location?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly contentType?: string;
}

/** A web in memory. Pass it to `openCrawl` as a plugin. */
export interface FakeWeb extends Plugin {
  /** Every requested URL in order, robots.txt excluded. */
  readonly requests: string[];
  /** Called before each response, except for robots.txt. */
  onRequest: (url: string) => void | Promise<void>;
  /** Changes or adds a page; undefined removes it. */
  set(url: string, page: FakePage | string | undefined): void;
}

/**
 * A web in memory, as a plugin that replaces the network. A URL without a page gets 404.
 * @param pages by their URLs; a text is the HTML of a page
 */
export function fakeWeb(pages: Readonly<Record<string, FakePage | string>>): FakeWeb {
  const web = new Map(Object.entries(pages).map(([url, page]) => [url, pageOf(page)]));
  const requests: string[] = [];
  const self: FakeWeb = {
    name: 'fake-web',
    requests,
    onRequest: () => {},
    set(url, page) {
      if (page !== undefined) web.set(url, pageOf(page));
      else web.delete(url);
    },
    protocol: {
      schemes: ['http', 'https'],
      async fetch(request) {
        if (!request.url.endsWith('/robots.txt')) {
          requests.push(request.url);
          await self.onRequest(request.url);
        }
        return responseTo(web.get(request.url), request);
      },
    },
  };
  return self;
}

function pageOf(page: FakePage | string): FakePage {
  return typeof page === 'string' ? { html: page } : page;
}

function responseTo(page: FakePage | undefined, request: FetchRequest): FetchOutcome {
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
