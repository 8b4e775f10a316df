import { originOf, urlOf, rowKeyOf } from '../../core/index.js';
import { ROW } from '../collect/row-table.js';
import { MARKS } from '../facts/facts.js';
import { createRules, type AuditRow, type Found, type Site, type Target, type TargetRule } from '../rule.js';
import { lost } from './links.js';
import { endingText } from './texts.js';

const DAY = 86_400_000;
/** The dates of a sitemap are judged if it has at least this number of URLs. At most this share may have the same date. */
const DATED = { urls: 50, share: 0.9 };

function listedPage(target: Target, site: Site, message: string): Found {
  return { ...lost(target, site), message, sources: target.listed, impact: target.links.impact };
}

/** Makes a rule that judges only targets that a sitemap lists. */
function ofListed(rule: Omit<TargetRule, 'id' | 'group' | 'on'>): Omit<TargetRule, 'id' | 'group'> {
  const check: TargetRule['check'] = (target, site) =>
    target.listed.total === 0 ? undefined : rule.check(target, site);
  return { ...rule, on: 'target', check };
}

const ofThoseRead = ({ isComplete }: Site): string => (isComplete ? '' : ' of the pages that were read');

const stateOf = ({ isComplete }: Site): Pick<Found, 'state'> => (isComplete ? {} : { state: 'inconclusive' });

/** Returns two variants of a URL: with the slash at its end added or removed, and with the other scheme. */
function twinsOf(url: string): string[] {
  const { href, pathname } = new URL(url);
  const slash = pathname.endsWith('/') ? href.replace(/\/(?=$|\?)/, '') : href.replace(/(?=$|\?)/, '/');
  const other = href.startsWith('https:') ? `http:${href.slice(6)}` : `https:${href.slice(5)}`;
  return [slash, other].filter((twin) => twin !== url && urlOf(rowKeyOf(twin)) !== url);
}

function datesOf({ outlinks = [] }: AuditRow): number[] {
  return outlinks.flatMap(({ lastModified }) => (lastModified === undefined ? [] : [lastModified]));
}

export const SITEMAP_RULES = createRules('sitemaps', {
  'sitemap-broken': ofListed({
    severity: 'error',
    title: 'A sitemap lists a page that is not there',
    help: 'Remove the address from the sitemap, or restore the page.',
    check(target, site) {
      const { verdict, isTwice, url } = target;
      if (verdict !== 'broken' && !(verdict === 'failing' && isTwice)) return undefined;
      return listedPage(target, site, `${url}, which a sitemap lists, ${endingText(target)}.`);
    },
  }),
  'sitemap-redirect': ofListed({
    severity: 'warn',
    title: 'A sitemap lists a redirect',
    help: 'List the address at which the redirect ends.',
    check: (target, site) =>
      target.verdict === 'redirect'
        ? listedPage(target, site, `${target.url}, which a sitemap lists, redirects.`)
        : undefined,
  }),
  'sitemap-noindex': ofListed({
    severity: 'warn',
    title: 'A sitemap lists a page with noindex',
    help: 'Remove the page from the sitemap, or remove noindex from the page.',
    check(target, site) {
      const { row, url } = target;
      if (row === undefined || !site.rows.is(row, ROW.page) || !site.rows.is(row, ROW.noindex)) return undefined;
      return listedPage(target, site, `${url}, which a sitemap lists, says noindex.`);
    },
  }),
  'sitemap-noncanonical': ofListed({
    severity: 'warn',
    title: 'A sitemap lists a page that names another canonical',
    help: 'List the canonical page.',
    check(target, site) {
      const { row, url } = target;
      if (row === undefined || !site.rows.is(row, ROW.page) || !site.rows.is(row, ROW.notCanonical)) return undefined;
      return listedPage(target, site, `${url}, which a sitemap lists, names another page as canonical.`);
    },
  }),
  'sitemap-blocked': ofListed({
    severity: 'warn',
    title: 'A sitemap lists a page that robots.txt denies',
    help: 'Remove the page from the sitemap, or the line from robots.txt.',
    check(target, site) {
      const { row, url, ending } = target;
      if (row === undefined || !site.rows.is(row, ROW.denied)) return undefined;
      const line = ending?.message === undefined ? '' : ` (${ending.message})`;
      return listedPage(target, site, `${url}, which a sitemap lists, is denied by robots.txt${line}.`);
    },
  }),
  'sitemap-invalid': {
    severity: 'error',
    title: 'A sitemap that is not there, or is no sitemap',
    help: 'Restore the file, or remove its address from robots.txt and from the sitemap index.',
    on: 'target',
    check(target, site) {
      const { row, url, verdict, isTwice, redirects } = target;
      // Only URLs that robots.txt or a sitemap index names are judged, and no target of a redirect.
      if (row === undefined || !site.rows.is(row, ROW.namedSitemap) || redirects.total > 0) return undefined;
      const isLost = verdict === 'broken' || (verdict === 'failing' && isTwice);
      const isHtml = site.rows.is(row, ROW.html);
      if (!isLost && !isHtml && !site.rows.is(row, ROW.unsupported)) return undefined;
      const what = isHtml ? 'is a page of HTML' : 'is neither a sitemap nor a feed';
      const message = `The sitemap ${url} ${isLost ? endingText(target) : what}.`;
      return { ...lost(target, site), message };
    },
  },
  'sitemap-orphan': ofListed({
    severity: 'warn',
    title: 'A page that a sitemap lists and no page links to',
    help: 'Link to the page from a related page, or remove it from the sitemap.',
    async check(target, site) {
      const { row, url, links, redirects, isInternal } = target;
      if (!isInternal || row === undefined || !site.rows.is(row, ROW.page)) return undefined;
      // The home page needs no link.
      if (links.total > 0 || redirects.total > 0 || new URL(url).pathname === '/') return undefined;
      for (const twin of twinsOf(url)) if (((await site.look(twin))?.inlinkCount ?? 0) > 0) return undefined;
      const message = `No page${ofThoseRead(site)} links to ${url}, which a sitemap lists.`;
      return { ...listedPage(target, site, message), ...stateOf(site) };
    },
  }),
  'sitemap-unlisted': {
    severity: 'notice',
    title: 'A page that pages link to and no sitemap lists',
    help: 'If search engines should show the page, add it to the sitemap.',
    on: 'target',
    check(target, site) {
      const { row, url, links, listed, host, isInternal } = target;
      if (
        !isInternal ||
        !host.sitemaps.includes(originOf(url)) ||
        host.unreadSitemaps > 0 ||
        listed.total > 0 ||
        links.followed === 0
      )
        return undefined;
      if (row === undefined || !site.rows.is(row, ROW.indexable)) return undefined;
      // Later pages of a list need not be in a sitemap.
      if (/[?&](?:page|paged|p|pg|seite|start|offset)=\d+|\/page\/\d+\/?$/i.test(url)) return undefined;
      const message = `${url} is in no sitemap of its host${site.isComplete ? '' : ', by the pages that were read'}.`;
      return { ...stateOf(site), message, sources: links };
    },
  },
  'sitemap-lastmod': {
    severity: 'notice',
    title: 'Dates in a sitemap that are not plausible',
    help: 'In lastmod, write when the main content of the page last changed. Or omit lastmod.',
    on: 'page',
    check({ row, facts, url }, { now }) {
      if ((facts.marks & MARKS.sitemap) === 0) return undefined;
      const dates = datesOf(row);
      const future = dates.filter((date) => date > now + DAY).length;
      if (future > 0)
        return {
          message: `${url} has ${future} ${future === 1 ? 'date' : 'dates'} in the future.`,
          evidence: { future, dated: dates.length },
        };
      if (dates.length <= DATED.urls) return undefined;
      const days = new Map<number, number>();
      for (const date of dates) days.set(Math.floor(date / DAY), (days.get(Math.floor(date / DAY)) ?? 0) + 1);
      const [day, most] = [...days].reduce((high, each) => (each[1] > high[1] ? each : high), [0, 0]);
      if (most <= DATED.share * dates.length) return undefined;
      const date = new Date(day * DAY).toISOString().slice(0, 10);
      return {
        message: `${most} of ${dates.length} pages of ${url} have the same date, ${date}.`,
        evidence: { date, share: most / dates.length },
      };
    },
  },
});
