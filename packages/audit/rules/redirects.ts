import { ROW, type Chain } from '../collect/row-table.js';
import { MARKS } from '../facts/facts.js';
import { createRules, type Found, type Site, type Target } from '../rule.js';
import { BROKEN, lost } from './links.js';
import { pagesThat } from './texts.js';

async function hopsOf({ hops, end }: Chain, { rows, urlOf }: Site): Promise<string[]> {
  const all: string[] = [];
  for (const row of hops) all.push(`${await urlOf(row)} (${rows.http(row)})`);
  if (end !== undefined) all.push(`${await urlOf(end)} (${rows.http(end)})`);
  return all;
}

/** Returns the redirect chain of a target within the crawled hosts. Undefined: it does not redirect, or no page links to it. */
function chainOf(target: Target, { rows }: Site): Chain | undefined {
  const { isInternal, row, verdict, links } = target;
  if (!isInternal || row === undefined || verdict !== 'redirect' || links.total === 0) return undefined;
  return rows.chainOf(row);
}

const MAX_TEMPORARY_MS = 30 * 86_400_000;

/** Whether a page is not there, or its server failed twice. */
function isLost(row: number, { rows }: Site): boolean {
  const verdict = rows.verdict(row);
  return verdict === 'broken' || (verdict === 'failing' && rows.is(row, ROW.twice));
}

async function describe(target: Target, chain: Chain, site: Site, messageOf: (end: string) => string): Promise<Found> {
  const end = chain.end === undefined ? (target.ending?.to ?? 'an unknown address') : await site.urlOf(chain.end);
  const common = lost(target, site);
  // The chain is as old as its last change, and a page that is not there is a part of the fault.
  const changed = chain.hops.concat(chain.end !== undefined && isLost(chain.end, site) ? chain.end : []);
  return {
    ...common,
    since: Math.max(common.since ?? 0, ...changed.map((row) => site.rows.changedAt(row))),
    message: messageOf(end),
    evidence: { hops: await hopsOf(chain, site) },
    sources: target.links,
  };
}

export const REDIRECT_RULES = createRules('redirects', {
  'redirect-link': {
    severity: 'notice',
    title: 'Links to an address that has moved for good',
    help: 'Link to where the redirect ends.',
    on: 'target',
    check(target, site) {
      const chain = chainOf(target, site);
      const { rows } = site;
      if (!chain || chain.end === undefined || rows.verdict(chain.end) !== 'ok') return undefined;
      const http = rows.http(target.row!);
      if (http !== 301 && http !== 308) return undefined;
      return describe(
        target,
        chain,
        site,
        (end) => `${target.url} has moved to ${end}. ${pagesThat(target.links.total)} to the old address.`,
      );
    },
  },
  'redirect-chain': {
    severity: 'warn',
    title: 'Redirects that lead to other redirects',
    help: 'Change the first redirect to lead directly to the last page.',
    on: 'target',
    check(target, site) {
      const chain = chainOf(target, site);
      if (!chain || chain.isLoop || chain.hops.length < 2) return undefined;
      return describe(target, chain, site, (end) => `${target.url} takes ${chain.hops.length} redirects to ${end}.`);
    },
  },
  'redirect-temporary': {
    severity: 'notice',
    title: 'Temporary redirects that stay',
    help: 'Return 301 or 308 if the address has moved for good.',
    on: 'target',
    async check(target, site) {
      const chain = chainOf(target, site);
      const { rows } = site;
      if (!chain || chain.end === undefined || rows.verdict(chain.end) !== 'ok') return undefined;
      const [row, http] = [target.row!, rows.http(target.row!)];
      const times = chain.hops.map(rows.changedAt);
      const length = rows.requestedAt(row) - Math.max(...times);
      if ((http !== 302 && http !== 307) || times.includes(0) || length < MAX_TEMPORARY_MS) return undefined;
      // A home page may redirect by language, and a page for members to the log-in form.
      if (new URL(target.url).pathname === '/') return undefined;
      const end = await site.urlOf(chain.end);
      const facts = await site.factsOf(end);
      if (!facts || facts.marks & MARKS.password) return undefined;
      const days = Math.floor(length / 86_400_000);
      return describe(
        target,
        chain,
        site,
        () =>
          `${target.url} has redirected to ${end} for ${days} days, by ${http}. ${pagesThat(target.links.total)} to it.`,
      );
    },
  },
  'redirect-insecure': {
    severity: 'warn',
    title: 'Redirects from https to http',
    help: 'Let every redirect lead to an https address.',
    on: 'target',
    async check(target, site) {
      const chain = chainOf(target, site);
      if (!chain || chain.isLoop) return undefined;
      const urls = await Promise.all(chain.hops.map((row) => site.urlOf(row)));
      urls.push(chain.end === undefined ? (target.ending?.to ?? '') : await site.urlOf(chain.end));
      const at = urls.findIndex((url, i) => url.startsWith('http:') && urls[i - 1]?.startsWith('https:'));
      if (at === -1) return undefined;
      return describe(target, chain, site, () => `${target.url} leads over ${urls[at]!}, which is not https.`);
    },
  },
  'redirect-loop': {
    group: BROKEN,
    severity: 'error',
    title: 'Redirects that never end',
    help: 'Change the last redirect to return the page.',
    on: 'target',
    check(target, site) {
      const { rows } = site;
      const { row, verdict, isInternal, links, url } = target;
      if (!isInternal || row === undefined || verdict !== 'redirect') return undefined;
      if (links.total === 0 && !rows.is(row, ROW.seed)) return undefined;
      const chain = rows.chainOf(row);
      if (!chain.isLoop) return undefined;
      return describe(target, chain, site, () => `${url} redirects for ever. ${pagesThat(links.total)} to it.`);
    },
  },
  'redirect-broken': {
    group: BROKEN,
    severity: 'error',
    title: 'Redirects to a page that is not there',
    help: 'Change the target of the redirect to an existing page, or return 404 or 410.',
    on: 'target',
    check(target, site) {
      const chain = chainOf(target, site);
      if (!chain) return undefined;
      const { end } = chain;
      const { response, links, url: from } = target;
      // With --external, the audit has followed redirects to other sites. Since then, the crawl may have found another redirect.
      const isLater = response !== undefined && response.at >= site.rows.requestedAt(target.row!);
      if (
        end === undefined &&
        isLater &&
        response.to !== undefined &&
        (response.http === 404 || response.http === 410)
      ) {
        const message = `${from} redirects to ${response.to}, which returns ${response.http}. ${pagesThat(links.total)} to it.`;
        return { ...lost(target, site), message, sources: links };
      }
      if (end === undefined || !isLost(end, site)) return undefined;
      const http = site.rows.http(end);
      return describe(
        target,
        chain,
        site,
        (url) =>
          `${target.url} redirects to ${url}, which ${http > 0 ? `returns ${http}` : 'does not respond'}. ${pagesThat(target.links.total)} to it.`,
      );
    },
  },
});
