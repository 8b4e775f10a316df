import { readableUrl } from '../core/index.js';
import { CrawlError } from '../errors/index.js';
import { defined } from '../util/index.js';
import { jsonReply, redirect, textReply, type Reply } from './http/reply.js';
import { meaningOf, type Problem } from './http/errors.js';
import type { FormGuard } from './http/form-guard.js';
import { readerLanguages } from './http/reader-languages.js';
import type { Request, Route } from './http/request.js';
import { createEvents } from './live/events.js';
import type { History } from './live/history.js';
import type { Metrics } from './live/metrics.js';
import type { Stats } from './live/stats.js';
import { dashboardFigures, type DashboardFigures } from './pages/dashboard-figures.js';
import { dashboardPage } from './pages/dashboard-page.js';
import { queryOf, type PageReplies } from './page-replies.js';
import { withFilters } from './pages/filters.js';
import { cachedPage, homePage } from './pages/other-pages.js';
import { resultsPage, searchPath, type Asked } from './pages/results-page.js';
import { LOGO_POLICY, type Logo } from './site/logo.js';
import type { Site } from './site/site.js';
import { HITS_PER_PAGE, MAX_HITS, type SearchResult } from '../search/index.js';
import { createChangeRoutes } from './changes/change-routes.js';
import { createRuleRoutes, type RuleRoutes } from './rule-routes.js';
import type { CrawlStatus, ServeSource } from './source.js';
import { html as xml, markup } from './http/html.js';

interface RoutesContext {
  readonly source: ServeSource;
  readonly stats: Stats;
  readonly history: History;
  readonly metrics: Metrics;
  readonly guard: FormGuard;
  readonly site: Site;
  readonly replies: PageReplies;
  /** Called with failures whose details clients do not get. */
  readonly onError: (error: unknown) => void;
}

export function createRoutes(context: RoutesContext): RuleRoutes {
  const { source, stats, history, metrics, guard, site, replies, onError } = context;
  const { lookOf, show, problem: problemReply } = replies;
  const rules = createRuleRoutes({ rules: source.rules, guard, replies });
  const changes = createChangeRoutes({ changes: source.changes, replies, site, onError });
  const figures = async (): Promise<DashboardFigures> => dashboardFigures(await stats.read(), history.samples);
  const events = createEvents(figures);

  const search = ({ query, page, fold, lang }: Asked, { signal, headers }: Request): Promise<SearchResult> =>
    source.search(query, { page, fold, signal, languages: readerLanguages(headers['accept-language'], lang) });

  const routes: Readonly<Record<string, Route>> = {
    '/': async (request) =>
      show(request, homePage(lookOf(request), (await stats.read()).status), { cache: 'revalidate' }),
    async '/search'(request) {
      const { params } = request;
      const asked = askedOf(params);
      if (FILTERS.some((name) => params.has(name))) {
        const [site = '', language = '', year = ''] = FILTERS.map((name) => params.get(name) ?? '');
        const query = withFilters(asked.query, { site, language, year });
        return redirect(query === '' ? '/' : searchPath({ ...asked, page: 1, query }));
      }
      if (asked.query === '') return redirect('/');
      const found = await search(asked, request);
      const rest = { languages: await source.languages(), thisYear: new Date().getUTCFullYear() };
      return show(request, resultsPage(lookOf(request), asked, found, rest), { cache: 'revalidate', headers: VARY });
    },
    async '/cached'(request) {
      const found = await source.cached(request.params.get('url') ?? '', request.signal);
      if (!found) return problemReply(request, NO_COPY);
      return show(request, cachedPage(lookOf(request), found), { cache: 'revalidate' });
    },
    async '/api/search'(request) {
      const asked = askedOf(request.params);
      if (asked.query === '') throw new CrawlError('USAGE', 'no query', { hint: '/api/search?q=words' });
      const { hits, ...rest } = await search(asked, request);
      const shown = hits.map((hit) => ({ ...hit, ...defined({ readableUrl: readableUrl(hit.url) }) }));
      return { ...jsonReply({ query: asked.query, ...rest, hits: shown }), headers: VARY };
    },
    async '/api/suggest'({ params, signal }) {
      const query = queryOf(params);
      const found = query === '' || query.length > 200 ? [] : await source.suggest(query, signal);
      return jsonReply([query, found], 200, 'application/x-suggestions+json; charset=utf-8');
    },
    async '/api/status'(request) {
      const { status, problem } = await stats.read();
      return problem || !status ? problemReply(request, problem ?? NOT_YET) : jsonReply(publicStatus(status));
    },
    '/dashboard': async (request) => show(request, dashboardPage(await figures())),
    '/dashboard/events': () =>
      events.isFull ? textReply('too many browsers show the dashboard; try again later', 503) : events.stream(),
    ...rules.routes,
    ...changes.routes,
    async '/metrics'() {
      const { body, type } = await metrics.text(await stats.read());
      return { status: 200, type, body };
    },
    async '/healthz'() {
      const { status, problem } = await stats.read();
      if (problem) return textReply(problemLine(problem), 503);
      const { indexProblem } = status ?? {};
      if (!indexProblem) return textReply('ok');
      return textReply(problemLine({ ...indexProblem, message: meaningOf(indexProblem.code) }), 503);
    },
    '/opensearch.xml': ({ origin }) => ({
      status: 200,
      type: 'application/opensearchdescription+xml; charset=utf-8',
      body: openSearchDescription(origin, site.name),
      cache: 'revalidate',
    }),
    '/style.css': () => ({ status: 200, type: 'text/css; charset=utf-8', body: site.style, cache: 'day' }),
    '/box.js': () => ({ status: 200, type: 'text/javascript; charset=utf-8', body: site.box, cache: 'revalidate' }),
    '/icon.svg': () => ({ status: 200, type: 'image/svg+xml', body: site.icon, cache: 'day' }),
    ...(site.logo && { '/logo': () => logoReply(site.logo!) }),
    '/robots.txt': () => textReply('User-agent: *\nDisallow: /'),
  };
  return { routes, forms: rules.forms, close: () => rules.close() };
}

const FILTERS = ['site', 'language', 'year'] as const;
/** Header of responses that depend on the languages of the reader. */
const VARY = { vary: 'accept-language' } as const;

function logoReply({ type, bytes }: Logo): Reply {
  return { status: 200, type, body: bytes, cache: 'day', headers: { 'content-security-policy': LOGO_POLICY } };
}

const MAX_PAGES = MAX_HITS / HITS_PER_PAGE;

const NO_COPY: Problem = {
  status: 404,
  code: 'NO_COPY',
  message: 'There is no text of this page. It was not crawled, was removed, or does not allow a copy.',
};
const NOT_YET: Problem = { status: 503, code: 'INTERNAL', message: 'There are no figures yet.' };

function problemLine({ code, message, hint }: Omit<Problem, 'status'>): string {
  return `${code}: ${message}${hint === undefined ? '' : ` (${hint})`}`;
}

function askedOf(params: URLSearchParams): Asked {
  const given = params.get('page') ?? '1';
  const page = Number(given);
  if (!Number.isInteger(page) || page < 1 || page > MAX_PAGES) {
    throw new CrawlError('USAGE', `page ${given.slice(0, 20)} is not one of 1 to ${MAX_PAGES}`, {
      hint: 'a search shows the best hundred pages; more words find the others',
    });
  }
  const lang = params.get('lang') ?? '';
  return {
    query: queryOf(params),
    page,
    fold: params.get('fold') !== 'no',
    ...(/^[a-z]{2,3}$/i.test(lang) && { lang: lang.toLowerCase() }),
  };
}

/** Returns a status that any client may see. Messages of failures are removed, because they may contain paths of this machine. */
function publicStatus({ failing, ...status }: CrawlStatus): CrawlStatus {
  return {
    ...status,
    ...(failing && { failing: failing.map((each) => ({ ...each, message: meaningOf(each.code) })) }),
  };
}

/**
 * Makes the description by which a browser adds this server to its search engines, with suggestions. The format is OpenSearch 1.1 with the
 * extension for suggestions, which browsers request as `application/x-suggestions+json`.
 * @param origin the origin by which the browser addresses this server
 * @param name of the site. The short name is its first 16 characters
 */
function openSearchDescription(origin: string, name: string): string {
  const terms = markup('{searchTerms}');
  return xml`<?xml version="1.0" encoding="UTF-8"?>
<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
<ShortName>${[...name].slice(0, 16).join('')}</ShortName>
<Description>Search the pages of ${name}</Description>
<InputEncoding>UTF-8</InputEncoding>
<Image width="32" height="32" type="image/svg+xml">${origin}/icon.svg</Image>
<Url type="text/html" template="${origin}/search?q=${terms}" />
<Url type="application/json" template="${origin}/api/search?q=${terms}" />
<Url type="application/x-suggestions+json" template="${origin}/api/suggest?q=${terms}" />
<Url type="application/opensearchdescription+xml" rel="self" template="${origin}/opensearch.xml" />
</OpenSearchDescription>
`.toString();
}
