import type { FetchOutcome } from '../../packages/webcrawl/internal.js';
import { htmlAnswer, madePage, mix } from './made-page.js';
import { linksOf } from './news-links.js';
import { pathOf, type NewsKind, type Place } from './news-paths.js';
import { newsSites, type NewsSite } from './news-sites.js';

/** A made-up web of news sites. A page is there once the web has given a link to it, and is the same every time. */
export type NewsWeb = ReturnType<typeof newsWeb>;
export type NewsAnswer = NonNullable<ReturnType<NewsWeb['answerOf']>>;

const WORDS = 60;
const GONE: FetchOutcome = { kind: 'gone', code: 'not_found', http: 404 };
const SESSION = /[?&](visit|s)=([0-9a-f]{8})$/;
const FORUM: readonly NewsKind[] = ['boards', 'thread', 'post', 'member'];

/** @param scale 1: 40 sites with some 500,000 URLs, without the endless calendars and sessions */
export function newsWeb(scale: number, seed = 1) {
  const sites = newsSites(scale, seed);
  const byHost = new Map<string, NewsSite>();
  for (const site of sites) {
    for (const host of [site.host, site.forumHost, ...(site.twin === undefined ? [] : [site.twin])])
      byHost.set(host, site);
  }

  /** The pages that links lead to, by the number of the site and the path without session. */
  const places = new Map<string, Place>(sites.map(({ number }) => [`${number}/`, { kind: 'front', at: [] }]));
  const pathTo = (site: NewsSite, place: Place): string => {
    const path = pathOf(site, place);
    if (!places.has(`${site.number}${path}`)) places.set(`${site.number}${path}`, place);
    return path;
  };

  function find(url: string) {
    const [, host = '', path = ''] = /^http:\/\/([^/]+)(\/.*)$/.exec(url) ?? [];
    const site = byHost.get(host);
    if (!site) return undefined;
    const [text = '', name = '', id] = SESSION.exec(path) ?? [];
    const place = places.get(`${site.number}${path.slice(0, path.length - text.length)}`);
    if (!place) return undefined;
    const isForum = FORUM.includes(place.kind);
    if (host === site.forumHost ? !isForum && host !== site.host : isForum && host !== site.twin) return undefined;
    const givesForum = isForum && site.hasForumSessions;
    const gives = givesForum || (site.hasVisits && !isForum && (place.kind === 'article' || id !== undefined));
    if (id !== undefined && (!gives || name !== (isForum ? 's' : 'visit'))) return undefined;
    const own = (): string =>
      mix(site.seed, ...Buffer.from(path))
        .toString(16)
        .padStart(8, '0');
    return {
      site,
      host,
      place,
      session: gives ? `${isForum ? 's' : 'visit'}=${id ?? own()}` : undefined,
      hasSession: id !== undefined,
    };
  }

  function linksIn({ site, host, place, session }: NonNullable<ReturnType<typeof find>>): readonly string[] {
    return linksOf(site, place, sites).map((link) => {
      if (typeof link === 'string') return link;
      const isForum = FORUM.includes(link.kind);
      const path = pathTo(site, link);
      if (link.host !== undefined) return `http://${link.host}${path}`;
      if (link.target) pathTo(link.target.site, { kind: 'article', at: [link.target.article] });
      const to = isForum && site.forumHost !== site.host ? site.forumHost : host === site.forumHost ? site.host : host;
      const isOfSession =
        session !== undefined && isForum === session.startsWith('s=') && link.kind !== 'out' && link.kind !== 'share';
      return `http://${to}${path}${isOfSession ? `${path.includes('?') ? '&' : '?'}${session}` : ''}`;
    });
  }

  return {
    sites,
    seeds: sites.map(({ host }) => `http://${host}/`),
    /** The kind of a URL. Undefined: there is no page, or the URL has a session id. */
    kindOf(url: string) {
      const found = find(url);
      return found && !found.hasSession ? found.place.kind : undefined;
    },
    /** Links are absolute and in page order; of a redirect, only its target. */
    answerOf(url: string) {
      const found = find(url);
      if (!found) return undefined;
      const { site, place, hasSession } = found;
      // The same for all of its URLs, except print versions.
      const article = place.kind === 'article' ? `${site.number}:${place.at[0]}` : undefined;
      return { kind: place.kind, links: linksIn(found), article, hasSession };
    },
    fetch(url: string): FetchOutcome {
      const found = find(url);
      if (!found) return GONE;
      const links = linksIn(found);
      const { host, site, place } = found;
      if (place.kind === 'out' || place.kind === 'share') {
        return { kind: 'redirect', code: 'temp_moved', http: 302, permanent: false, target: links[0]! };
      }
      const own = `http://${host}`;
      // Links are relative where sites do this, so that twins have the same bytes.
      const shown = links.map((link) => (link.startsWith(`${own}/`) ? link.slice(own.length) : link));
      return htmlAnswer(madePage(textSeed(site, place), shown, WORDS));
    },
  };
}

/** Pages with the same text have the same seed: an article and its print version, results with facets in any order, empty days. */
function textSeed({ seed }: NewsSite, { kind, at, text = '' }: Place): number {
  if (kind === 'article' || kind === 'print' || kind === 'reply') return mix(seed, 100, at[0]!);
  if (kind === 'mail' || kind === 'login') return mix(seed, 104, ...Buffer.from(kind));
  if (kind === 'calendar') return mix(seed, 101, at[2] === 0 ? at[1]! : 0);
  if (kind !== 'search') return mix(seed, 102, ...Buffer.from(kind + text), ...at);
  const [page = 0, ...chosen] = at;
  const facets = chosen.flatMap((facet, i) => (i % 2 === 0 ? [facet * 100 + chosen[i + 1]!] : []));
  return mix(seed, 103, page, ...facets.sort((a, b) => a - b));
}
