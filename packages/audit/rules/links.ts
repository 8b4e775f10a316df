import { isIP } from 'node:net';
import { figures, hostOf, originOf, safeText, specialRange } from '../../core/index.js';
import { LINK_KINDS } from '../facts/kinds.js';
import type { UncheckedLinks } from '../requests/unchecked-links.js';
import { ROW } from '../collect/row-table.js';
import { createRules, type Found, type Site, type Target } from '../rule.js';
import { endingText, evidenceOf, pagesThat, timesOf } from './texts.js';

export const BROKEN = 'broken';
const FORMS = 1 << LINK_KINDS.indexOf('form');
const STYLES = (1 << LINK_KINDS.indexOf('script')) | (1 << LINK_KINDS.indexOf('stylesheet'));

/** Returns the data that all findings on targets have in common. Of a target that is there, it is unknown since when it has a fault. */
export function lost(target: Target, { rows }: Site): Pick<Found, 'since' | 'lastOkAt' | 'lastRequestAt' | 'evidence'> {
  const { row, verdict } = target;
  const isLost = row !== undefined && verdict !== 'ok';
  const times = timesOf(target, isLost ? rows.changedAt(row) : 0, row === undefined ? 0 : rows.requestedAt(row));
  const worked = isLost && rows.is(row, ROW.wasPage);
  const evidence = { ...evidenceOf(target), ...(worked && { before: 'it was a page before' }) };
  return { ...times, evidence };
}

/** Returns an unverified finding: a server that refuses crawlers tells nothing about the page. */
function unverified(target: Target, site: Site): Found {
  const { links } = target;
  return {
    ...lost(target, site),
    state: 'unverified',
    severity: 'notice',
    message: `${target.url} ${endingText(target)}, which tells nothing about the page. ${pagesThat(links.total)} to it.`,
    sources: links,
  };
}

/** Names that exist only on a machine or in a local network (RFC 6761, RFC 6762). */
const LOCAL_NAME = /(?:^|\.)(?:localhost|local|test|invalid|internal)$/;

function isLocal(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, '');
  return LOCAL_NAME.test(host) || (isIP(address) !== 0 && specialRange(address) !== undefined);
}

/** Adds a link to http whose https version exists. There is one finding for each folder. */
export async function noteInsecure(target: Target, site: Site): Promise<void> {
  const { url, isInternal, links, verdict } = target;
  if (!isInternal || links.total === 0 || !url.startsWith('http://')) return;
  if (verdict !== 'ok' && verdict !== 'redirect') return;
  const [first] = links.shown;
  if (!first || !(await site.urlOf(first.row)).startsWith('https://')) return;
  const twin = await site.look(`https://${url.slice('http://'.length)}`);
  const http = twin?.protocolStatus?.http ?? 0;
  if (http < 200 || http >= 300) return;
  await site.group('link-insecure', url.slice(0, url.lastIndexOf('/') + 1), { url, impact: links.impact });
}

/** Adds another site that refuses crawlers. There is one finding for each host. */
export async function noteUnverified(target: Target, site: Site): Promise<void> {
  const { isInternal, verdict, response, http, url, links, parts } = target;
  if (isInternal || links.total + parts.total === 0) return;
  const isOther = verdict === 'broken' && http !== 404 && http !== 410;
  const isDenied = verdict === 'unchecked' && response !== undefined;
  if (verdict !== 'blocked' && !isOther && !isDenied) return;
  const label = http > 0 ? String(http) : (response?.code ?? '');
  await site.group('external-unverified', `${originOf(url)}/`, {
    url,
    label,
    impact: links.impact,
  });
}

export function uncheckedFinding({ host, why, total, urls }: UncheckedLinks): Found {
  const links = total === 1 ? '1 link' : `${figures.number(total)} links`;
  return {
    url: urls[0]!,
    state: 'unverified',
    message: `${links} to ${host} not checked: ${safeText(why, 100)}.`,
    evidence: { addresses: urls },
  };
}

export const LINK_RULES = createRules('links', {
  'link-broken': {
    group: BROKEN,
    severity: 'error',
    title: 'Links to a page that is not there',
    help: 'Change the link to the new address of the page, remove it, or redirect the old address.',
    on: 'target',
    check(target, site) {
      const { isInternal, verdict, links, url, http } = target;
      if (!isInternal || links.total === 0) return undefined;
      if (verdict === 'blocked') return unverified(target, site);
      if (verdict !== 'broken') return undefined;
      // The target of a form is requested without its fields, so the server may return anything.
      if (links.kinds === FORMS && http !== 404 && http !== 410) return undefined;
      return {
        ...lost(target, site),
        message: `${url} ${endingText(target)}. ${pagesThat(links.total)} to it.`,
        sources: links,
      };
    },
  },
  'link-server-error': {
    group: BROKEN,
    severity: 'error',
    title: 'Links to a page whose server fails',
    help: 'Look for this address in the log of the server. If the page is gone for ever, return 404 or 410.',
    on: 'target',
    check(target, site) {
      const { isInternal, verdict, links, url, isTwice } = target;
      const isSeed = target.row !== undefined && site.rows.is(target.row, ROW.seed);
      if (!isInternal || verdict !== 'failing' || (links.total === 0 && !isSeed)) return undefined;
      const found = { ...lost(target, site), sources: links };
      if (links.total === 0)
        return isTwice
          ? { ...found, message: `${url} ${endingText(target)}, more than once. It is a seed.` }
          : undefined;
      if (isTwice)
        return { ...found, message: `${url} ${endingText(target)}, more than once. ${pagesThat(links.total)} to it.` };
      const message = `${url} ${endingText(target)}. It failed once, and the next crawl requests it again. ${pagesThat(links.total)} to it.`;
      return { ...found, state: 'unverified', severity: 'notice', message };
    },
  },
  /** Reports links that are not URLs. The target of such a link is its text. */
  'link-malformed': {
    severity: 'error',
    title: 'Links that cannot lead anywhere',
    help: 'Correct the address: https:// once, then the host name, then the path.',
    on: 'target',
    check: () => undefined,
  },
  'link-local': {
    severity: 'warn',
    title: 'Links to an address that only a local machine or network has',
    help: 'Write the public address. Such links often remain from development.',
    on: 'target',
    async check({ url, isInternal, links, parts }, site) {
      const sources = links.total > 0 ? links : parts;
      const host = hostOf(url);
      if (isInternal || sources.total === 0 || !isLocal(host)) return undefined;
      for (const { row, anchor } of sources.shown) {
        // A manual shows such an address as the text of its link. A page in a local network may link within it.
        if (anchor.includes(host) || isLocal(hostOf(await site.urlOf(row)))) continue;
        return { message: `${url} is a local address. ${pagesThat(sources.total)} to it.`, sources };
      }
      return undefined;
    },
  },
  'link-insecure': {
    severity: 'notice',
    title: 'Links to http where there is https',
    help: 'Link to the https address.',
    on: 'group',
    check({ key, total, members, impact }) {
      const urls = members.slice(0, 10).map(({ url }) => url);
      return {
        url: key,
        impact,
        message: `https pages link to ${total === 1 ? '1 http address' : `${total} http addresses`} below ${key}, which https serves too.`,
        evidence: { addresses: urls },
      };
    },
  },
  'resource-broken': {
    group: BROKEN,
    severity: 'warn',
    title: 'Images, scripts and style sheets that are not there',
    help: 'Put the file back, or remove the element that loads it.',
    on: 'target',
    check(target, site) {
      const { isInternal, verdict, parts, url, isTwice } = target;
      if (!isInternal || parts.total === 0) return undefined;
      const fails = verdict === 'failing' && isTwice;
      if (verdict !== 'broken' && !fails) return undefined;
      const isNeeded = (parts.kinds & STYLES) !== 0;
      const kinds = LINK_KINDS.filter((_, kind) => parts.kinds & (1 << kind));
      const found = lost(target, site);
      return {
        ...found,
        ...(isNeeded && { severity: 'error' as const }),
        message: `${url} ${endingText(target)}. ${pagesThat(parts.total, 'load')} it.`,
        evidence: { ...found.evidence, elements: kinds },
        sources: parts,
      };
    },
  },
});
export const EXTERNAL_RULES = createRules('external', {
  'external-broken': {
    group: BROKEN,
    severity: 'warn',
    title: 'Links to pages of other sites that are not there',
    help: 'Link to the new address of the page, or to a copy in an archive, or remove the link.',
    on: 'target',
    check(target, site) {
      const { isInternal, verdict, http, url } = target;
      const sources = target.links.total > 0 ? target.links : target.parts;
      if (isInternal || sources.total === 0 || verdict !== 'broken') return undefined;
      // A server may return other 4xx statuses to crawlers only.
      if (http !== 404 && http !== 410) return undefined;
      return {
        ...lost(target, site),
        message: `${url} ${endingText(target)}. ${pagesThat(sources.total)} to it.`,
        sources,
      };
    },
  },
  'external-unreachable': {
    severity: 'warn',
    title: 'Links to sites that do not respond',
    help: 'Check whether the site has moved or closed. It failed several times, over at least a day.',
    on: 'target',
    check(target, site) {
      const { isInternal, verdict, url, isTwice } = target;
      const sources = target.links.total > 0 ? target.links : target.parts;
      if (isInternal || sources.total === 0 || verdict !== 'failing') return undefined;
      const found = { ...lost(target, site), sources };
      if (isTwice)
        return {
          ...found,
          message: `${url} ${endingText(target)}, at several times. ${pagesThat(sources.total)} to it.`,
        };
      const message = `${url} ${endingText(target)}. If it fails again a day later, it is a fault.`;
      return { ...found, state: 'unverified', severity: 'notice', message };
    },
  },
  'external-unverified': {
    severity: 'notice',
    title: 'Sites that block crawlers',
    help: 'These links may be fine. Check them by hand, or ignore the host.',
    on: 'group',
    check({ key, total, members, impact }) {
      const urls = members.slice(0, 10).map(({ url, label = '' }) => `${url} (${label})`);
      const links = total === 1 ? '1 address' : `${total} addresses`;
      return {
        url: key,
        impact,
        state: 'unverified',
        message: `${key} keeps crawlers out: ${links} could not be verified.`,
        evidence: { addresses: urls },
      };
    },
  },
  /** Links that the audit wanted to request and could not. There is one finding for each host and reason. */
  'link-unchecked': {
    severity: 'notice',
    title: 'Links that were not checked',
    help: 'The next audit checks them.',
    on: 'target',
    check: () => undefined,
  },
});
