import { ROW } from '../collect/row-table.js';
import { createRules, type Found, type Site, type Target } from '../rule.js';
import { lost } from './links.js';
import { endingText, pagesThat } from './texts.js';

const HELP =
  'Name the page itself. Or name a page that exists, is shown by search engines and names itself as canonical.';

function named(target: Target, site: Site, message: string, more: Partial<Found> = {}): Found {
  return {
    ...lost(target, site),
    message: `${message} ${pagesThat(target.canonicals.total, 'name')} it as canonical.`,
    sources: target.canonicals,
    ...more,
  };
}

/** Number of pages that name the home page before this counts as a fault of their template. */
const MIN_TEMPLATE_FAULTS = 3;
const HOME = /^\/(?:(?:index|default|home)(?:\.\w+)?\/?)?$/i;

export const CANONICAL_RULES = createRules('canonical', {
  'canonical-broken': {
    severity: 'error',
    title: 'The canonical page is not there',
    help: HELP,
    on: 'target',
    check(target, site) {
      const { canonicals, verdict, url, isInternal, row, isTwice } = target;
      if (canonicals.total === 0) return undefined;
      if (verdict === 'broken' || (verdict === 'failing' && isTwice))
        return named(target, site, `${url} ${endingText(target)}.`);
      const isUnknown = verdict === 'unchecked' && isInternal && !(row !== undefined && site.rows.is(row, ROW.denied));
      if (!isUnknown) return undefined;
      return named(target, site, `${url} was not looked at.`, { state: 'inconclusive', severity: 'notice' });
    },
  },
  'canonical-redirect': {
    severity: 'warn',
    title: 'The canonical page redirects',
    help: 'Name the page where the redirect ends.',
    on: 'target',
    async check(target, site) {
      const { canonicals, verdict, row, url, response, ending } = target;
      if (canonicals.total === 0 || verdict !== 'redirect') return undefined;
      const { hops = [], end } = row === undefined ? {} : site.rows.chainOf(row);
      const to = hops.length > 0 && end !== undefined ? await site.urlOf(end) : (ending?.to ?? response?.to);
      return named(target, site, `${url} redirects${to === undefined ? '' : ` to ${to}`}.`);
    },
  },
  'canonical-chain': {
    severity: 'warn',
    title: 'The canonical page names another one',
    help: HELP,
    on: 'target',
    check(target, site) {
      const { canonicals, row, url } = target;
      if (canonicals.total === 0 || row === undefined) return undefined;
      if (!site.rows.is(row, ROW.page) || !site.rows.is(row, ROW.notCanonical)) return undefined;
      return named(target, site, `${url} names another canonical itself.`);
    },
  },
  'canonical-noindex': {
    severity: 'error',
    title: 'Search engines do not show the canonical page',
    help: 'Remove noindex from the canonical page, or remove the line of robots.txt that denies it. Or name another canonical page.',
    on: 'target',
    check(target, site) {
      const { canonicals, row, url, ending } = target;
      if (canonicals.total === 0 || row === undefined) return undefined;
      if (site.rows.is(row, ROW.denied))
        return named(
          target,
          site,
          `robots.txt denies ${url}${ending?.message === undefined ? '' : ` (${ending.message})`}.`,
        );
      if (!site.rows.is(row, ROW.page) || !site.rows.is(row, ROW.noindex)) return undefined;
      return named(target, site, `${url} says noindex.`);
    },
  },
  'canonical-multiple': {
    severity: 'error',
    title: 'A page names two canonical pages',
    help: 'Name one, in the head of the page or in the header Link.',
    on: 'page',
    check({ facts, url }, { keyOf }) {
      const { canonicals } = facts;
      const { size } = new Set(canonicals.map((each) => keyOf(each.url)));
      if (size < 2) return undefined;
      return {
        message: `${url} names ${size} canonical pages.`,
        evidence: { canonicals: canonicals.map((each) => `${each.url} (${each.place})`) },
      };
    },
  },
  'canonical-misplaced': {
    severity: 'warn',
    title: 'A canonical outside the head of the page',
    help: 'Put the link into the head, before any element that ends the head. Search engines ignore a canonical in the body.',
    on: 'page',
    check({ facts, url, isIndexable }) {
      const found = facts.canonicals.filter(({ place }) => place === 'body');
      if (!isIndexable || found.length === 0) return undefined;
      return {
        message: `${url} names its canonical page outside the head.`,
        evidence: { canonicals: found.map((each) => each.url) },
      };
    },
  },
  'canonical-home': {
    severity: 'warn',
    title: 'Pages name the home page as canonical',
    help: 'Let each page name itself. Search engines drop pages that name the home page instead.',
    on: 'target',
    async check({ url, canonicals }, { urlOf }) {
      const { pathname, search } = new URL(url);
      if (canonicals.total < MIN_TEMPLATE_FAULTS || pathname !== '/' || search !== '') return undefined;
      const paths = await Promise.all(canonicals.shown.map(async ({ row }) => new URL(await urlOf(row)).pathname));
      // The home page may have other addresses, and parameters.
      if (new Set(paths.filter((path) => !HOME.test(path))).size < MIN_TEMPLATE_FAULTS) return undefined;
      return {
        message: `${pagesThat(canonicals.total, 'name')} the home page ${url} as canonical.`,
        sources: canonicals,
      };
    },
  },
});
