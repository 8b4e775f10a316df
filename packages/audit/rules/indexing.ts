import { hostOf, tryRowKeyOf } from '../../core/index.js';
import { distanceOf } from '../../duplicates/index.js';
import { ROW } from '../collect/row-table.js';
import { MARKS } from '../facts/facts.js';
import { MIN_WORDS } from '../not-found.js';
import { createRules, type AuditedPage, type Site, type Target } from '../rule.js';

/**
 * Texts are compared if they have at least this number of words. They are similar if their simhashes differ in at most this number of bits,
 * of 64: about a twentieth of the text.
 */
const SIMILAR = { words: 15, bits: 4 };

/** The response of a server for a random name in a folder. Plain data, as stored in the table. */
export interface ProbeNote {
  readonly at: number;
  readonly http: number;
  readonly words: number;
  readonly simhash: readonly [high: number, low: number];
  readonly marks: number;
}

/**
 * Adds a soft 404 if the page is one. This is decided by the text of the page, and by the response of its server for a random name in the
 * same folder. @returns whether it is a soft 404: then no other rule judges the page, and its links do not count
 */
export async function noteSoftNotFound(page: AuditedPage, site: Site, probe: ProbeNote | undefined): Promise<boolean> {
  const { url, row, number, facts, saysNotFound } = page;
  const { pathname, origin } = new URL(url);
  if (pathname === '/' || row.parseStatus?.code !== 'success') return false;
  const impact = row.rank ?? row.inlinkBound ?? 0;
  const like = probe && isLike(probe, facts);
  if (probe && like && (probe.marks | facts.marks) & MARKS.app) {
    await site.group('soft-404', `${origin}/`, { row: number, url, label: `${origin}/`, impact });
    return true;
  }
  const signs: string[] = [];
  if (like) signs.push('a random name in its folder gives the same page');
  if (saysNotFound) signs.push('its title or heading says so');
  if (saysNotFound && facts.words < MIN_WORDS) signs.push(`${facts.words} words`);
  if (saysNotFound && row.parseStatus.noindex === true) signs.push('noindex');
  // A single sign in the text is not enough.
  if (!like && signs.length < 2) return false;
  await site.group('soft-404', url, { row: number, url, label: signs.join(', '), impact });
  return true;
}

function isLike(probe: ProbeNote, { words, simhash, marks }: AuditedPage['facts']): boolean {
  if (probe.http < 200 || probe.http >= 300) return false;
  const bits = distanceOf(probe.simhash[0], probe.simhash[1], simhash[0], simhash[1]);
  const most = Math.max(probe.words, words);
  if (most < SIMILAR.words)
    return bits === 0 && probe.words === words && (words > 0 || (probe.marks & marks & MARKS.app) !== 0);
  return bits <= SIMILAR.bits && Math.abs(probe.words - words) <= most / 20;
}

/** Adds a page that robots.txt denies and that other pages link to. There is one finding for each line of robots.txt. */
export async function noteDenied(target: Target, site: Site): Promise<void> {
  const { row, links, url, ending, listed, isInternal } = target;
  if (row === undefined || !isInternal || !site.rows.is(row, ROW.denied) || links.followed === 0) return;
  const { protocol, host } = new URL(url);
  const key = `${protocol}//${host || hostOf(url)}/\n${ending?.message ?? ''}`;
  await site.group('robots-blocked', key, {
    row,
    url,
    impact: links.impact,
    ...(listed.total > 0 && { label: 'listed' }),
  });
}

export const INDEXING_RULES = createRules('indexability', {
  'soft-404': {
    severity: 'warn',
    title: 'Pages that show "not found", but return 200',
    help: 'Let the server return 404 or 410 for addresses without a page.',
    on: 'group',
    check({ key, total, members, impact }) {
      const [first] = members;
      if (!first) return undefined;
      const isHost = key === first.label;
      if (isHost) {
        return {
          url: key,
          impact,
          severity: 'notice',
          message: `${key} returns the same page, which scripts fill, for every address. A missing page cannot be recognised.`,
          evidence: { pages: members.slice(0, 20).map(({ url }) => url) },
        };
      }
      return {
        url: key,
        impact,
        message: `${key} returns 200 for a page that is not there: ${first.label ?? ''}.`,
        evidence: { signs: first.label ?? '', ...(total > 1 && { total }) },
      };
    },
  },
  'robots-blocked': {
    severity: 'notice',
    title: 'Linked pages that robots.txt denies',
    help: 'If search engines should show these pages, remove the line from robots.txt. Otherwise give the links rel=nofollow.',
    on: 'group',
    check({ key, total, members, impact }) {
      const [origin = '', line = ''] = key.split('\n');
      const isListed = members.some(({ label }) => label === 'listed');
      const pages = total === 1 ? '1 page' : `${total} pages`;
      return {
        url: origin,
        part: line,
        impact,
        ...(isListed && { severity: 'warn' as const }),
        message: `robots.txt denies ${pages} of ${origin} that pages link to${line === '' ? '' : ` (${line})`}.`,
        evidence: { pages: members.slice(0, 20).map(({ url }) => url), ...(line !== '' && { line }) },
      };
    },
  },
  'noindex-conflict': {
    severity: 'notice',
    title: 'A page with noindex names another canonical page',
    help: 'Keep one of the two. noindex removes the page from search engines; a canonical passes its links on to another page.',
    on: 'page',
    check({ row, url }) {
      const { noindex, canonical } = row.parseStatus ?? {};
      if (noindex !== true || canonical === undefined || tryRowKeyOf(canonical) === row.key) return undefined;
      return { message: `${url} says noindex, and names ${canonical} as canonical.`, evidence: { canonical } };
    },
  },
});
