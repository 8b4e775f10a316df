import { CrawlError } from '../errors/index.js';
import { jsonAnswer, pageAnswer, redirect, textAnswer, type Answer } from './http/answer.js';
import { meaningOf, type Problem } from './http/errors.js';
import type { FormGuard } from './http/form-guard.js';
import type { Request, Route } from './http/request.js';
import { createEvents } from './live/events.js';
import type { History } from './live/history.js';
import type { Metrics } from './live/metrics.js';
import type { Stats } from './live/stats.js';
import { openSearchDescription } from './open-search.js';
import { dashboardFigures, type DashboardFigures } from './pages/dashboard-figures.js';
import { DASHBOARD_POLICY, dashboardPage } from './pages/dashboard-page.js';
import { ICON } from './pages/layout.js';
import { cachedPage, homePage, problemPage } from './pages/other-pages.js';
import { resultsPage, type Asked } from './pages/results-page.js';
import { STYLE } from './pages/style.js';
import { HITS_A_PAGE, MAX_HITS, type SearchResult } from '../search/index.js';
import { createRuleRoutes, type RuleRoutes } from './rule-routes.js';
import type { CrawlStatus, ServeSource } from './source.js';

/** What the routes answer from. */
export interface RoutesContext {
  readonly source: ServeSource;
  readonly stats: Stats;
  readonly history: History;
  readonly metrics: Metrics;
  readonly guard: FormGuard;
}

/** All that a server answers, and what it does with forms, by path. */
export function createRoutes({ source, stats, history, metrics, guard }: RoutesContext): RuleRoutes {
  const rules = createRuleRoutes({ rules: source.rules, guard, problem: problemAnswer });
  const figures = async (): Promise<DashboardFigures> => dashboardFigures(await stats.read(), history.samples);
  const events = createEvents(figures);

  const search = ({ query, page, fold }: Asked, { signal }: Request): Promise<SearchResult> =>
    source.search(query, { page, fold, signal });

  const routes: Readonly<Record<string, Route>> = {
    '/': async () => pageAnswer(homePage((await stats.read()).status), { cache: 'revalidate' }),
    async '/search'(request) {
      const asked = askedOf(request.params);
      if (asked.query === '') return redirect('/');
      return pageAnswer(resultsPage(asked, await search(asked, request)), { cache: 'revalidate' });
    },
    async '/cached'({ path, params }) {
      const url = params.get('url') ?? '';
      const found = await source.cached(url);
      if (!found) return problemAnswer({ path, params }, NO_COPY);
      return pageAnswer(cachedPage(found), { cache: 'revalidate' });
    },
    async '/api/search'(request) {
      const asked = askedOf(request.params);
      if (asked.query === '')
        throw new CrawlError('USAGE', 'expected a query, found none', { hint: '/api/search?q=words' });
      return jsonAnswer({ query: asked.query, ...(await search(asked, request)) });
    },
    async '/api/suggest'({ params, signal }) {
      const query = queryOf(params);
      const found = query === '' || query.length > 200 ? [] : await source.suggest(query, signal);
      return jsonAnswer([query, found], 200, 'application/x-suggestions+json; charset=utf-8');
    },
    async '/api/status'({ path, params }) {
      const { status, problem } = await stats.read();
      return problem || !status
        ? problemAnswer({ path, params }, problem ?? NOT_YET)
        : jsonAnswer(publicStatus(status));
    },
    async '/dashboard'() {
      return pageAnswer(dashboardPage(await figures()), { headers: { 'content-security-policy': DASHBOARD_POLICY } });
    },
    '/dashboard/events': () =>
      events.isFull
        ? textAnswer('expected fewer viewers of the dashboard at a time; ask again later', 503)
        : events.stream(),
    ...rules.routes,
    async '/metrics'() {
      const { body, type } = await metrics.text(await stats.read());
      return { status: 200, type, body };
    },
    async '/healthz'() {
      const { status, problem } = await stats.read();
      if (problem) return textAnswer(problemLine(problem), 503);
      const { indexProblem } = status ?? {};
      if (!indexProblem) return textAnswer('ok');
      return textAnswer(problemLine({ ...indexProblem, message: meaningOf(indexProblem.code) }), 503);
    },
    '/opensearch.xml': ({ origin }) => ({
      status: 200,
      type: 'application/opensearchdescription+xml; charset=utf-8',
      body: openSearchDescription(origin),
      cache: 'revalidate',
    }),
    '/style.css': () => ({ status: 200, type: 'text/css; charset=utf-8', body: STYLE, cache: 'day' }),
    '/icon.svg': () => ({ status: 200, type: 'image/svg+xml', body: ICON, cache: 'day' }),
    '/robots.txt': () => textAnswer('User-agent: *\nDisallow: /'),
  };
  return { routes, forms: rules.forms, close: () => rules.close() };
}

/** Pages of hits that can be seen. */
const MAX_PAGES = MAX_HITS / HITS_A_PAGE;

const NO_COPY: Problem = {
  status: 404,
  code: 'NOT_FOUND',
  message: 'There is no text of this page: it was not crawled, was removed since, or asks that no copy be shown.',
};
const NOT_YET: Problem = { status: 503, code: 'INTERNAL', message: 'There are no figures yet.' };

function problemLine({ code, message, hint }: Omit<Problem, 'status'>): string {
  return `${code}: ${message}${hint === undefined ? '' : ` (${hint})`}`;
}

/** What went wrong, as JSON below `/api/` and as a page elsewhere. */
export function problemAnswer({ path, params }: Pick<Request, 'path' | 'params'>, problem: Problem): Answer {
  const { status, ...error } = problem;
  if (path.startsWith('/api/')) return jsonAnswer({ error }, status);
  // Whoever asked for another name is not shown what this server is.
  if (status === 421) return textAnswer(problem.message, status);
  return pageAnswer(problemPage(problem, queryOf(params)), { status });
}

function queryOf(params: URLSearchParams): string {
  return (params.get('q') ?? '').trim().replace(/\s+/g, ' ');
}

function askedOf(params: URLSearchParams): Asked {
  const given = params.get('page') ?? '1';
  const page = Number(given);
  if (!Number.isInteger(page) || page < 1 || page > MAX_PAGES) {
    throw new CrawlError('USAGE', `expected a page from 1 to ${MAX_PAGES}, found ${given.slice(0, 20)}`, {
      hint: 'a search shows the best hundred pages; more words find the others',
    });
  }
  return { query: queryOf(params), page, fold: params.get('fold') !== 'no' };
}

/** A status as strangers may see it: messages of failures may name paths of this machine. */
function publicStatus({ failing, ...status }: CrawlStatus): CrawlStatus {
  return {
    ...status,
    ...(failing && { failing: failing.map((each) => ({ ...each, message: meaningOf(each.code) })) }),
  };
}
