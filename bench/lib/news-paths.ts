import { mix } from './made-page.js';
import { dateOf, sectionOf, SECTIONS } from './news-articles.js';
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
  readonly text?: string;
  /** Of a link to the other form of the site. */
  readonly host?: string;
  /** out: the target, if it is an article of this web. */
  readonly target?: { readonly site: NewsSite; readonly article: number };
}

const WORDS =
  'harbour council vote storm rail school budget river festival court energy strike market bridge hospital'.split(' ');
export const ABOUT = ['about', 'contact', 'imprint', 'privacy', 'advertise'] as const;

const two = (n: number): string => String(n).padStart(2, '0');
function slugOf(site: NewsSite, article: number): string {
  return [10, 11, 12].map((salt) => WORDS[mix(site.seed, article, salt) % WORDS.length]).join('-');
}

function dateOfArticle(site: NewsSite, article: number): readonly [string, string, string] {
  const { year, month, date } = dateOf(Math.floor(article / site.perDay));
  return [String(year), two(month), two(date)];
}

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
  if (kind === 'login') return `/login?next=${encodeURIComponent(pathOf(site, { kind: 'article', at: [a] }))}`;
  const query = Array.from(
    { length: (at.length - 1) / 2 },
    (_, i) => `${site.facets[at[1 + 2 * i]!]![0]}=${at[2 + 2 * i]}`,
  );
  if (a > 0) query.push(`page=${a + 1}`);
  return query.length === 0 ? '/search' : `/search?${query.join('&')}`;
}

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

const PATHS = { blog: blogPath, portal: portalPath, classic: classicPath } as const;

export function pathOf(site: NewsSite, place: Place): string {
  return PATHS[site.style](site, place);
}
