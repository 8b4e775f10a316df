import { mix } from './made-page.js';
import {
  anyOf,
  articlesOf,
  atPlace,
  AUTHORS,
  dateOf,
  daysOf,
  daysOfMonth,
  relatedTo,
  SECTIONS,
  sectionOf,
  shown,
} from './news-articles.js';
import { ABOUT, pathOf, type NewsKind, type Place } from './news-paths.js';
import type { NewsSite } from './news-sites.js';

type NewsLink = Place | string;

const [IN_SECTION, IN_MONTH, IN_TAG, IN_AUTHOR, IN_SEARCH] = [20, 10, 10, 20, 10];
const [SECTION_PAGES, AUTHOR_PAGES] = [10, 5];
const ORDERS = 3;
const THREADS_ON_BOARD = 30;
const MOST_FACETS = 3;
const SEARCH_PAGES = 2;
const NETWORKS = 4;
const OTHER_SITES = 400;
/** Numbers of links beside every page: a cloud of tags, or the topics of the day, and new threads of the forum. */
const [CLOUD, TOPICS, LATEST_THREADS] = [30, 8, 6];

const to = (kind: NewsKind, ...at: readonly number[]): Place => ({ kind, at });
const upTo = (n: number): number[] => Array.from({ length: Math.max(0, n) }, (_, i) => i);
const articles = (found: readonly number[]): Place[] => found.map((article) => to('article', article));
/** Links to the shown ones of some articles. */
const listed = (site: NewsSite, count: number, at: (i: number) => number): Place[] =>
  articles(shown(site, upTo(count).map(at)));

const pagesOfSection = ({ articles: all }: NewsSite): number =>
  Math.min(SECTION_PAGES, Math.ceil(all / 6 / IN_SECTION));
const pagesOfAuthor = ({ articles: all }: NewsSite): number =>
  Math.min(AUTHOR_PAGES, Math.ceil(all / AUTHORS / IN_AUTHOR));
const pagesOfTag = (site: NewsSite, tag: number): number => Math.max(1, Math.floor(site.articles / (15 * (tag + 1))));
const membersOf = ({ threads }: NewsSite): number => Math.ceil(threads / 2);
const boardsOf = ({ threads }: NewsSite): number => Math.ceil(threads / THREADS_ON_BOARD);
function commentsOn(site: NewsSite, article: number): number {
  const lot = mix(site.seed, article, 20) % 100;
  if (site.style !== 'blog' || lot < 30) return 0;
  return lot < 80 ? lot % 5 : lot % 17;
}

function pagesOfThread(site: NewsSite, thread: number): number {
  const lot = mix(site.seed, thread, 21) % 100;
  return lot < 55 ? 1 : lot < 80 ? 2 : lot < 92 ? 3 : 4 + (lot % 5);
}

function monthsOf(site: NewsSite): (readonly [year: number, month: number])[] {
  const [newest, oldest] = [dateOf(0), dateOf(daysOf(site) - 1)];
  const months: (readonly [number, number])[] = [];
  for (let at = newest.year * 12 + newest.month - 1; at >= oldest.year * 12 + oldest.month - 1; at--) {
    months.push([Math.floor(at / 12), (at % 12) + 1]);
  }
  return months;
}

const articlesOfMonth = (site: NewsSite, year: number, month: number): number[] =>
  daysOfMonth(site, year, month).flatMap((day) => articlesOf(site, day));
/** A blog lists the articles of a month on pages; other archives list only its days. */
const pagesOfMonth = (site: NewsSite, year: number, month: number): number =>
  site.style === 'blog' ? Math.ceil(articlesOfMonth(site, year, month).length / IN_MONTH) : 1;

function navigation(site: NewsSite): NewsLink[] {
  return [
    to('front'),
    ...SECTIONS.map((_, section) => to('section', section, 0, 0)),
    to('archive'),
    ...upTo(Math.min(site.style === 'blog' ? CLOUD : TOPICS, site.tags)).map((tag) => to('tag', tag, 0)),
    ...(site.facets.length > 0 ? [to('search', 0)] : []),
    ...(site.threads > 0 ? [to('boards', 0), ...upTo(LATEST_THREADS).map((thread) => to('thread', thread, 0))] : []),
    ...(site.hasCalendar ? upTo(29).map((day) => to('calendar', 2026, 11, day)) : []),
    ...ABOUT.map((text): Place => ({ kind: 'about', at: [], text })),
  ];
}

export function linksOf(site: NewsSite, place: Place, sites: readonly NewsSite[]): NewsLink[] {
  if (place.kind === 'out') return [place.text!];
  if (place.kind === 'share') return [`http://network${place.at[1]}.example/share`];
  return [...navigation(site), ...ownLinks(site, place, sites)];
}

function ownLinks(site: NewsSite, place: Place, sites: readonly NewsSite[]): NewsLink[] {
  const [a = 0, b = 0, c = 0] = place.at;
  const next = (pages: number, page: number, make: (page: number) => Place): Place[] =>
    page + 1 < pages ? [make(page + 1)] : [];
  switch (place.kind) {
    case 'front':
    case 'about': {
      const isFront = place.kind === 'front';
      const newest = isFront ? listed(site, 22, (i) => i) : [];
      const read = isFront ? listed(site, 10, (i) => anyOf(site, i, 30)) : [];
      const others = [1, 2, 3].map((i) => `http://${sites[(site.number + i * 7) % sites.length]!.host}/`);
      const { twin } = site;
      return [...newest, ...read, ...others, ...(twin === undefined ? [] : [`http://${twin}/`])];
    }
    case 'article':
      return linksOfArticle(site, a, sites);
    case 'print':
    case 'mail':
    case 'login':
    case 'reply':
      return articles([a]);
    case 'section': {
      const found = listed(site, IN_SECTION, (i) => atPlace(a, b * IN_SECTION + i));
      const orders = site.style === 'classic' ? upTo(ORDERS).map((order) => to('section', a, 0, order)) : [];
      return [...found, ...orders, ...next(pagesOfSection(site), b, (page) => to('section', a, page, c))];
    }
    case 'archive':
      if (site.style === 'blog') return monthsOf(site).map(([year, month]) => to('month', year, month, 0));
      return [...new Set(monthsOf(site).map(([year]) => year))].map((year) => to('year', year));
    case 'year':
      return monthsOf(site).flatMap(([year, month]) => (year === a ? [to('month', year, month, 0)] : []));
    case 'month': {
      const days = daysOfMonth(site, a, b).map((day) => to('day', day));
      if (site.style !== 'blog') return days;
      const found = articlesOfMonth(site, a, b).slice(c * IN_MONTH, (c + 1) * IN_MONTH);
      const further = next(pagesOfMonth(site, a, b), c, (page) => to('month', a, b, page));
      return [...(c === 0 ? days : []), ...articles(found), to('year', a), ...further];
    }
    case 'day': {
      const near = [a - 1, a + 1].filter((day) => day >= 0 && day < daysOf(site));
      return [...articles(articlesOf(site, a)), ...near.map((day) => to('day', day))];
    }
    case 'tag': {
      const found = listed(site, IN_TAG, (i) => anyOf(site, a, b * IN_TAG + i, 31));
      const others = [1, 2, 3].map((i) => to('tag', mix(site.seed, a, i, 32) % site.tags, 0));
      return [...found, ...others, ...next(pagesOfTag(site, a), b, (page) => to('tag', a, page))];
    }
    case 'author': {
      const found = listed(site, IN_AUTHOR, (i) => (b * IN_AUTHOR + i) * AUTHORS + a);
      return [...found, ...next(pagesOfAuthor(site), b, (page) => to('author', a, page))];
    }
    case 'search':
      return linksOfSearch(site, place.at);
    case 'boards': {
      const threads = upTo(THREADS_ON_BOARD).map((i) => a * THREADS_ON_BOARD + i);
      const found = threads.filter((thread) => thread < site.threads).map((thread) => to('thread', thread, 0));
      return [...found, ...next(boardsOf(site), a, (page) => to('boards', page))];
    }
    case 'thread': {
      const members = [1, 2, 3, 4].map((i) => to('member', mix(site.seed, a, b, i) % membersOf(site)));
      const about = b === 0 && mix(site.seed, a, 33) % 8 === 0 ? articles(shown(site, [anyOf(site, a, 34)])) : [];
      const further = upTo(pagesOfThread(site, a)).map((page) => to('thread', a, page));
      return [to('boards', 0), to('post', a), ...members, ...about, ...further];
    }
    case 'post':
      return [to('thread', a, 0)];
    case 'member':
      return [1, 2, 3].map((i) => to('thread', mix(site.seed, a, i, 35) % site.threads, 0));
    case 'calendar':
      return linksOfCalendar(a, b, c);
    case 'out':
    case 'share':
      return [];
  }
}

function linksOfArticle(site: NewsSite, article: number, sites: readonly NewsSite[]): NewsLink[] {
  const latest = shown(site, upTo(6)).slice(0, 5);
  const related = relatedTo(site, article);
  const { twin } = site;
  // Some permalinks are absolute, in the form without www.
  const absolute = twin !== undefined && mix(site.seed, article, 36) % 5 === 0 ? articles(related.slice(0, 1)) : [];
  const near = site.hasNeighbours ? [article - 1, article + 1].filter((one) => one >= 0 && one < site.articles) : [];
  return [
    ...articles([...new Set([...latest, ...related, ...near])].filter((one) => one !== article)),
    ...absolute.map((one) => ({ ...one, host: twin! })),
    to('section', sectionOf(article), 0, 0),
    to('author', article % AUTHORS, 0),
    ...[1, 2, 3].map((i) => to('tag', tagOf(site, article, i), 0)),
    ...(site.style === 'blog' ? [to('day', Math.floor(article / site.perDay))] : []),
    ...[...site.tools].map((tool) => to(tool, article)),
    ...(site.hasShare ? upTo(NETWORKS).map((network) => to('share', article, network)) : []),
    ...upTo(commentsOn(site, article)).map((comment) => to('reply', article, comment)),
    ...(site.threads > 0 && mix(site.seed, article, 37) % 4 === 0
      ? [to('thread', mix(site.seed, article, 38) % site.threads, 0)]
      : []),
    ...outOf(site, article, sites),
  ];
}

function tagOf(site: NewsSite, article: number, i: number): number {
  const share = mix(site.seed, article, i, 39) / 2 ** 32;
  return Math.floor(share * share * site.tags);
}

/** The counted links of an article: mostly to other webs, some to other sites of this one or to the site itself. */
function outOf(site: NewsSite, article: number, sites: readonly NewsSite[]): Place[] {
  if (!site.hasOut) return [];
  return upTo(mix(site.seed, article, 40) % 4).map((i) => {
    const lot = mix(site.seed, article, i, 41);
    if (lot % 10 < 7) return { kind: 'out', at: [], text: `http://source${lot % OTHER_SITES}.example/${lot}` };
    const other = lot % 10 < 9 ? sites[lot % sites.length]! : site;
    const target = { site: other, article: anyOf(other, article, i, 42) };
    return { kind: 'out', at: [], text: `http://${other.host}${pathOf(other, to('article', target.article))}`, target };
  });
}

function linksOfSearch(site: NewsSite, at: readonly number[]): NewsLink[] {
  const [page = 0, ...chosen] = at;
  const facets = chosen.filter((_, i) => i % 2 === 0);
  const key = facets.map((facet, i) => facet * 100 + chosen[2 * i + 1]!).sort((a, b) => a - b);
  const found = listed(site, IN_SEARCH, (i) => anyOf(site, ...key, page * IN_SEARCH + i, 43));
  const more =
    facets.length < MOST_FACETS
      ? site.facets.flatMap(([, values], facet) =>
          facets.includes(facet) ? [] : upTo(values).map((value) => to('search', 0, ...chosen, facet, value)),
        )
      : [];
  const fewer = facets.map((_, i) => to('search', 0, ...chosen.filter((_, j) => Math.floor(j / 2) !== i)));
  const further = page + 1 < SEARCH_PAGES ? [{ kind: 'search', at: [page + 1, ...chosen] } as const] : [];
  return [...found, ...more, ...fewer, ...further];
}

function linksOfCalendar(year: number, month: number, date: number): NewsLink[] {
  const months = [-1, 1].map((step) => {
    const at = year * 12 + month - 1 + step;
    return to('calendar', Math.floor(at / 12), (at % 12) + 1, 0);
  });
  if (date === 0) return [...months, ...upTo(28).map((day) => to('calendar', year, month, day + 1))];
  return [
    to('calendar', year, month, 0),
    ...[date - 1, date + 1].filter((one) => one >= 1 && one <= 28).map((one) => to('calendar', year, month, one)),
  ];
}

export function countsOf(
  site: NewsSite,
  sites: readonly NewsSite[],
): Readonly<Record<Exclude<NewsKind, 'calendar'>, number>> {
  const sum = (n: number, of: (i: number) => number): number => upTo(n).reduce((total, i) => total + of(i), 0);
  const months = monthsOf(site);
  const products = (left: readonly number[], depth: number): number =>
    depth === 0
      ? 1
      : 1 +
        sum(
          left.length,
          (i) =>
            left[i]! *
            products(
              left.filter((_, j) => j !== i),
              depth - 1,
            ),
        );
  const values = site.facets.map(([, count]) => count);
  const forms = site.twin === undefined ? 1 : 2;
  const counts = {
    front: 1,
    about: ABOUT.length,
    article: site.articles,
    print: site.tools.has('print') ? site.articles : 0,
    mail: site.tools.has('mail') ? site.articles : 0,
    login: site.tools.has('login') ? site.articles : 0,
    share: site.hasShare ? NETWORKS * site.articles : 0,
    reply: sum(site.articles, (article) => commentsOn(site, article)),
    section: SECTIONS.length * pagesOfSection(site) * (site.style === 'classic' ? ORDERS : 1),
    archive: 1,
    year: new Set(months.map(([year]) => year)).size,
    month: months.reduce((total, [year, month]) => total + pagesOfMonth(site, year, month), 0),
    day: daysOf(site),
    tag: sum(site.tags, (tag) => pagesOfTag(site, tag)),
    author: AUTHORS * pagesOfAuthor(site),
    search: site.facets.length > 0 ? SEARCH_PAGES * products(values, MOST_FACETS) : 0,
    boards: boardsOf(site),
    thread: sum(site.threads, (thread) => pagesOfThread(site, thread)),
    post: site.threads,
    member: membersOf(site),
    out: new Set(upTo(site.articles).flatMap((article) => outOf(site, article, sites).map(({ text }) => text))).size,
  };
  // A forum on its own host has no other form.
  const isSingle = (kind: string): boolean => site.forumHost !== site.host && /boards|thread|post|member/.test(kind);
  return Object.fromEntries(
    Object.entries(counts).map(([kind, count]) => [kind, isSingle(kind) ? count : count * forms]),
  ) as typeof counts;
}
