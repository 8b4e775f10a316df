import { mix } from './made-page.js';
import { dateOf, dayOf, sectionOf, SECTIONS } from './news-articles.js';
import type { NewsSite } from './news-sites.js';

/** The kind of a page. `out` and `share` are redirects; `calendar` is endless. */
export type NewsKind =
  | 'front'
  | 'about'
  | 'article'
  | 'print'
  | 'mail'
  | 'login'
  | 'share'
  | 'reply'
  | 'section'
  | 'archive'
  | 'year'
  | 'month'
  | 'day'
  | 'tag'
  | 'author'
  | 'search'
  | 'boards'
  | 'thread'
  | 'post'
  | 'member'
  | 'out'
  | 'calendar';

/**
 * A page of a site. The numbers are, by kind: article, print, mail, login: article. share: article, network. reply: article, comment. section: section, page, order. year: year.
 * month: year, month, page. day: day of the site. tag, author: its number, page. search: page, then facet and value in turn. boards: page.
 * thread: thread, page. post: thread. member: member. calendar: year, month, day or 0. Pages and orders count from 0.
 */
export interface Place {
  readonly kind: NewsKind;
  readonly at: readonly number[];
  /** about: its name. out: the target. */
  readonly text?: string;
}

const WORDS =
  'harbour council vote storm rail school budget river festival court energy strike market bridge hospital'.split(' ');
/** Names of pages about the site. */
export const ABOUT = ['about', 'contact', 'imprint', 'privacy', 'advertise'] as const;

type Take = (found: readonly string[], site: NewsSite) => Place | undefined;
type Routes = readonly (readonly [pattern: RegExp, take: Take])[];

const two = (n: number): string => String(n).padStart(2, '0');
const place = (kind: NewsKind, ...at: readonly number[]): Place => ({ kind, at });
/** The number of a page, counted from 0. URLs omit the first one. */
const paged = (page: string | undefined): number => (page === undefined ? 0 : Number(page) - 1);

function slugOf(site: NewsSite, article: number): string {
  return [10, 11, 12].map((salt) => WORDS[mix(site.seed, article, salt) % WORDS.length]).join('-');
}

function dateOfArticle(site: NewsSite, article: number): readonly [string, string, string] {
  const { year, month, date } = dateOf(Math.floor(article / site.perDay));
  return [String(year), two(month), two(date)];
}

const COMMON: Routes = [
  [/^\/$/, () => place('front')],
  [/^\/(about|contact|imprint|privacy|advertise)\/$/, ([name = '']) => ({ kind: 'about', at: [], text: name })],
  [/^\/events\/(\d+)\/(\d\d)\/(?:(\d\d)\/)?$/, ([y, m, d]) => place('calendar', Number(y), Number(m), Number(d ?? 0))],
  [/^\/forum\/(?:index-(\d+)\.html)?$/, ([page]) => place('boards', paged(page))],
  [/^\/forum\/thread-(\d+)(?:-(\d+))?\.html$/, ([thread, page]) => place('thread', Number(thread), paged(page))],
  [/^\/forum\/newreply\?t=(\d+)$/, ([thread]) => place('post', Number(thread))],
  [/^\/forum\/member-(\d+)\.html$/, ([member]) => place('member', Number(member))],
  [/^\/out\?u=(.+)$/, ([to = '']) => ({ kind: 'out', at: [], text: decodeURIComponent(to) })],
  [/^\/send\?article=(\d+)$/, ([article]) => place('mail', Number(article))],
  [/^\/share\?to=(\d)&article=(\d+)$/, ([network, article]) => place('share', Number(article), Number(network))],
  [/^\/login\?next=(.+)$/, ([next = ''], site) => loginFor(site, decodeURIComponent(next))],
  [/^\/search(?:\?(.*))?$/, ([query = ''], site) => searchOf(site, query)],
];

function commonPath(site: NewsSite, { kind, at, text = '' }: Place): string {
  const [a = 0, b = 0, c = 0] = at;
  if (kind === 'front') return '/';
  if (kind === 'about') return `/${text}/`;
  if (kind === 'calendar') return `/events/${a}/${two(b)}/${c === 0 ? '' : `${two(c)}/`}`;
  if (kind === 'boards') return a === 0 ? '/forum/' : `/forum/index-${a + 1}.html`;
  if (kind === 'thread') return `/forum/thread-${a}${b === 0 ? '' : `-${b + 1}`}.html`;
  if (kind === 'post') return `/forum/newreply?t=${a}`;
  if (kind === 'member') return `/forum/member-${a}.html`;
  if (kind === 'out') return `/out?u=${encodeURIComponent(text)}`;
  if (kind === 'mail') return `/send?article=${a}`;
  if (kind === 'share') return `/share?to=${b}&article=${a}`;
  if (kind === 'login') return `/login?next=${encodeURIComponent(pathOf(site, place('article', a)))}`;
  const query = Array.from(
    { length: (at.length - 1) / 2 },
    (_, i) => `${site.facets[at[1 + 2 * i]!]![0]}=${at[2 + 2 * i]}`,
  );
  if (a > 0) query.push(`page=${a + 1}`);
  return query.length === 0 ? '/search' : `/search?${query.join('&')}`;
}

function loginFor(site: NewsSite, next: string): Place | undefined {
  const then = placeOf(site, next);
  return then?.kind === 'article' ? place('login', ...then.at) : undefined;
}

function searchOf(site: NewsSite, query: string): Place | undefined {
  const parts = query === '' ? [] : query.split('&').map((part) => part.split('='));
  const page = parts.at(-1)?.[0] === 'page' ? Number(parts.pop()![1]) - 1 : 0;
  const at = [page];
  for (const [name, value] of parts) {
    const facet = site.facets.findIndex(([one]) => one === name);
    if (facet < 0 || !(Number(value) < site.facets[facet]![1])) return undefined;
    at.push(facet, Number(value));
  }
  return { kind: 'search', at };
}

const BLOG: Routes = [
  [/^\/\d{4}\/\d\d\/\d\d\/[a-z-]+-(\d+)\/$/, ([article]) => place('article', Number(article))],
  [/^\/\d{4}\/\d\d\/\d\d\/[a-z-]+-(\d+)\/print\/$/, ([article]) => place('print', Number(article))],
  [
    /^\/\d{4}\/\d\d\/\d\d\/[a-z-]+-(\d+)\/\?replytocom=(\d+)$/,
    ([article, n]) => place('reply', Number(article), Number(n)),
  ],
  [/^\/category\/([a-z]+)\/(?:page\/(\d+)\/)?$/, ([name, page]) => sectionNamed(name, page)],
  [/^\/archives\/$/, () => place('archive')],
  [/^\/(\d{4})\/$/, ([year]) => place('year', Number(year))],
  [/^\/(\d{4})\/(\d\d)\/(?:page\/(\d+)\/)?$/, ([y, m, page]) => place('month', Number(y), Number(m), paged(page))],
  [/^\/(\d{4})\/(\d\d)\/(\d\d)\/$/, ([y, m, d]) => place('day', dayOf(Number(y), Number(m), Number(d)))],
  [/^\/tag\/t(\d+)\/(?:page\/(\d+)\/)?$/, ([tag, page]) => place('tag', Number(tag), paged(page))],
  [/^\/author\/a(\d+)\/(?:page\/(\d+)\/)?$/, ([author, page]) => place('author', Number(author), paged(page))],
  ...COMMON,
];

function blogPath(site: NewsSite, one: Place): string {
  const { kind, at } = one;
  const [a = 0, b = 0, c = 0] = at;
  const page = (n: number): string => (n === 0 ? '' : `page/${n + 1}/`);
  const day = (n: number): string => {
    const { year, month, date } = dateOf(n);
    return `/${year}/${two(month)}/${two(date)}/`;
  };
  if (kind === 'article' || kind === 'print' || kind === 'reply') {
    const article = `/${dateOfArticle(site, a).join('/')}/${slugOf(site, a)}-${a}/`;
    return kind === 'article' ? article : kind === 'print' ? `${article}print/` : `${article}?replytocom=${b}`;
  }
  if (kind === 'section') return `/category/${SECTIONS[a]}/${page(b)}`;
  if (kind === 'archive') return '/archives/';
  if (kind === 'year') return `/${a}/`;
  if (kind === 'month') return `/${a}/${two(b)}/${page(c)}`;
  if (kind === 'day') return day(a);
  if (kind === 'tag') return `/tag/t${a}/${page(b)}`;
  if (kind === 'author') return `/author/a${a}/${page(b)}`;
  return commonPath(site, one);
}

const PORTAL: Routes = [
  [/^\/[a-z]+\/[a-z-]+-8(\d{6})$/, ([article]) => place('article', Number(article))],
  [/^\/print\/[a-z]+\/[a-z-]+-8(\d{6})$/, ([article]) => place('print', Number(article))],
  [/^\/archive\/$/, () => place('archive')],
  [/^\/archive\/(\d{4})\.html$/, ([year]) => place('year', Number(year))],
  [/^\/archive\/(\d{4})\/(\d\d)\.html$/, ([y, m]) => place('month', Number(y), Number(m), 0)],
  [/^\/archive\/(\d{4})\/(\d\d)\/(\d\d)\.html$/, ([y, m, d]) => place('day', dayOf(Number(y), Number(m), Number(d)))],
  [/^\/topics\/t(\d+)(?:\?page=(\d+))?$/, ([tag, page]) => place('tag', Number(tag), paged(page))],
  [/^\/by\/a(\d+)(?:\?page=(\d+))?$/, ([author, page]) => place('author', Number(author), paged(page))],
  ...COMMON,
  [/^\/([a-z]+)\/(?:\?page=(\d+))?$/, ([name, page]) => sectionNamed(name, page)],
];

function portalPath(site: NewsSite, one: Place): string {
  const { kind, at } = one;
  const [a = 0, b = 0] = at;
  const page = (n: number): string => (n === 0 ? '' : `?page=${n + 1}`);
  if (kind === 'article' || kind === 'print') {
    const article = `/${SECTIONS[sectionOf(a)]}/${slugOf(site, a)}-8${String(a).padStart(6, '0')}`;
    return kind === 'print' ? `/print${article}` : article;
  }
  if (kind === 'section') return `/${SECTIONS[a]}/${page(b)}`;
  if (kind === 'archive') return '/archive/';
  if (kind === 'year') return `/archive/${a}.html`;
  if (kind === 'month') return `/archive/${a}/${two(b)}.html`;
  if (kind === 'day') {
    const { year, month, date } = dateOf(a);
    return `/archive/${year}/${two(month)}/${two(date)}.html`;
  }
  if (kind === 'tag') return `/topics/t${a}${page(b)}`;
  if (kind === 'author') return `/by/a${a}${page(b)}`;
  return commonPath(site, one);
}

const CLASSIC: Routes = [
  [/^\/story\.php\?id=(\d+)$/, ([id]) => place('article', Number(id) - 1)],
  [/^\/print\.php\?id=(\d+)$/, ([id]) => place('print', Number(id) - 1)],
  [
    /^\/list\.php\?cat=(\d+)(?:&sort=(\d))?(?:&page=(\d+))?$/,
    ([s, o = '0', page]) => place('section', Number(s), paged(page), Number(o)),
  ],
  [/^\/archive\.php$/, () => place('archive')],
  [/^\/archive\.php\?year=(\d{4})$/, ([year]) => place('year', Number(year))],
  [/^\/archive\.php\?month=(\d{4})-(\d\d)$/, ([y, m]) => place('month', Number(y), Number(m), 0)],
  [/^\/archive\.php\?date=(\d{4})-(\d\d)-(\d\d)$/, ([y, m, d]) => place('day', dayOf(Number(y), Number(m), Number(d)))],
  [/^\/tag\.php\?t=(\d+)(?:&page=(\d+))?$/, ([tag, page]) => place('tag', Number(tag), paged(page))],
  [/^\/author\.php\?a=(\d+)(?:&page=(\d+))?$/, ([author, page]) => place('author', Number(author), paged(page))],
  ...COMMON,
];

function classicPath(site: NewsSite, one: Place): string {
  const { kind, at } = one;
  const [a = 0, b = 0, c = 0] = at;
  const page = (n: number): string => (n === 0 ? '' : `&page=${n + 1}`);
  if (kind === 'article') return `/story.php?id=${a + 1}`;
  if (kind === 'print') return `/print.php?id=${a + 1}`;
  if (kind === 'section') return `/list.php?cat=${a}${c === 0 ? '' : `&sort=${c}`}${page(b)}`;
  if (kind === 'archive') return '/archive.php';
  if (kind === 'year') return `/archive.php?year=${a}`;
  if (kind === 'month') return `/archive.php?month=${a}-${two(b)}`;
  if (kind === 'day') {
    const { year, month, date } = dateOf(a);
    return `/archive.php?date=${year}-${two(month)}-${two(date)}`;
  }
  if (kind === 'tag') return `/tag.php?t=${a}${page(b)}`;
  if (kind === 'author') return `/author.php?a=${a}${page(b)}`;
  return commonPath(site, one);
}

function sectionNamed(name: string | undefined, page: string | undefined): Place | undefined {
  const section = (SECTIONS as readonly (string | undefined)[]).indexOf(name);
  return section < 0 ? undefined : place('section', section, paged(page), 0);
}

const STYLES = {
  blog: { routes: BLOG, pathOf: blogPath },
  portal: { routes: PORTAL, pathOf: portalPath },
  classic: { routes: CLASSIC, pathOf: classicPath },
} as const;

/** Path and query of a page, without a session. */
export function pathOf(site: NewsSite, one: Place): string {
  return STYLES[site.style].pathOf(site, one);
}

/** The page at a path with its query. Undefined: a site of this style has no such page. */
export function placeOf(site: NewsSite, path: string): Place | undefined {
  for (const [pattern, take] of STYLES[site.style].routes) {
    const found = pattern.exec(path);
    const one = found ? take(found.slice(1), site) : undefined;
    // A path in another spelling, for instance with a wrong date, is no page.
    if (one) return pathOf(site, one) === path ? one : undefined;
  }
  return undefined;
}
