import {
  hostOfKey,
  isPage,
  originOf,
  resolveLink,
  urlOf,
  type CrawlContext,
  type HostKey,
  type ProtocolStatus,
  figures,
  safeText,
} from '../../core/index.js';
import { createKeyJoin, createKeyedRecords, numberRows, type KeyFile, type KeyedRecords } from '../../scan/index.js';
import { defined } from '../../util/index.js';
import { FLAWS, MARKS, type PageFacts } from '../facts/facts.js';
import { IN_FACTS, LINK_KINDS } from '../facts/kinds.js';
import { withoutText } from '../facts/places.js';
import { factsOfRow } from '../facts/row-facts.js';
import { AUDIT_FIELDS, type AuditRow, type AuditedPage, type Site } from '../rule.js';
import { RECORD, packJson, packLink, packRow, type ResponseNote, type HostNote, type LinkRecord } from './records.js';
import { ROW, type RowTable } from './row-table.js';
import { isSitemapRow, readRow, type SeenRow } from './seen-row.js';

interface ScanCounts {
  pages: number;
  links: number;
}

interface ScanInput {
  readonly folder: string;
  /** Bytes of memory for sorting. */
  readonly memory: number;
  readonly rows: RowTable;
  readonly keys: KeyFile;
  readonly keyOf: Site['keyOf'];
  /** Called for each page, in the order of the rows. Returns false for a soft 404, whose links do not count. */
  readonly onPage: (page: AuditedPage) => Promise<boolean> | boolean;
  readonly onRow?: () => void;
  readonly signal?: AbortSignal | undefined;
}

export interface Scanned {
  readonly records: KeyedRecords;
  readonly counts: ScanCounts;
  readonly gaps: Gaps;
  /** Why the first seed was not read; undefined: it was read, or there is none. */
  readonly seedFailure: ProtocolStatus | undefined;
  readonly hosts: readonly string[];
}

const LINK = LINK_KINDS.indexOf('a');
const MAX_SUMMARY_HOSTS = 20;

export async function scanForAudit(crawl: CrawlContext, input: ScanInput): Promise<Scanned> {
  const { folder, memory, rows, keys, keyOf, onPage, onRow, signal } = input;
  const records = createKeyedRecords(folder, memory);
  const redirects = createKeyJoin(folder, Math.floor(memory / 4));
  const counts: ScanCounts = { pages: 0, links: 0 };
  const gaps = createGaps();
  let seedFailure: ProtocolStatus | undefined;
  const most = crawl.settings.db.maxOutlinksPerPage;
  const hosts: string[] = [];
  let host: { readonly key: HostKey; note: Mutable<HostNote> } | undefined;

  const endHost = async (): Promise<void> => {
    if (!host) return;
    const { key, note } = host;
    if ((note.pages > 0 || note.seeds > 0) && hosts.length < MAX_SUMMARY_HOSTS) hosts.push(hostOfKey(key));
    await records.add(`${key}:`, RECORD.host, packJson(note));
  };

  const scanned = crawl.tables.pages.scan({ fields: AUDIT_FIELDS });
  for await (const { row, number, newHost } of numberRows(scanned, keys, { onRow, signal })) {
    if (row.damaged) gaps.add('damaged', urlOf(row.key));
    if (newHost !== undefined) {
      await endHost();
      host = { key: newHost, note: { pages: 0, seeds: 0, sitemaps: [], unreadSitemaps: 0, alternates: false } };
    }
    const seen = readRow(row, isPage(row.status) ? await factsOfRow(crawl, row) : undefined);
    count(counts, gaps, host!.note, row, seen);
    if (row.distance === 0 && !seen.isPage && seen.note.verdict !== 'redirect') seedFailure ??= row.protocolStatus;
    if (seen.isHtml && most >= 0 && (row.outlinks?.length ?? 0) >= most) gaps.add('manyLinks', seen.page.url);
    rows.add({ ...seen.note, share: shareOf(row, seen.facts) });
    const { marks, ids, ownPlaces } = seen.facts;
    const record = { row: number, marks, ids, ownPlaces, ...defined({ ending: seen.ending }) };
    await records.add(row.key, RECORD.row, packRow(record));
    const { redirectTarget } = row;
    if (seen.note.verdict === 'redirect' && redirectTarget !== undefined) {
      const key = keyOf(redirectTarget);
      if (key !== undefined) {
        await redirects.add(key, number);
        await records.add(key, RECORD.redirect, packLink(plainLink(number)));
      }
    }
    if (seen.isPage) {
      if (await onPage({ ...seen.page, number })) await addLinks(row, seen, number);
      else rows.unset(number, ROW.indexable | ROW.facts);
    }
  }
  await endHost();
  for await (const [key, note] of crawl.tables.audits.notes('response')) {
    await records.add(key, RECORD.response, packJson(note as ResponseNote));
  }
  rows.setRedirects(await redirects.numbers(keys.path, rows.length));
  return { records, counts, gaps, seedFailure, hosts };

  async function addLinks(row: AuditRow, { facts, page: { isIndexable } }: SeenRow, source: number): Promise<void> {
    const { outlinks = [], parseStatus, duplicateOf } = row;
    const isSitemap = isSitemapRow(row, facts);
    const known = new Set<number>();
    const targets = new Set<string>();
    const add = (key: string | undefined, type: number, link: LinkRecord) => {
      if (key === undefined) return undefined;
      counts.links += 1;
      return records.add(key, type, packLink(link));
    };
    for (const { to, raw } of facts.bad) {
      known.add(to);
      // The crawl still follows this link, perhaps in another form.
      const key = keyOf(resolveLink(raw, urlOf(row.key)) ?? '');
      if (key !== undefined) targets.add(key);
    }
    for (const link of facts.links) {
      const outlink = typeof link.to === 'number' ? outlinks[link.to] : undefined;
      if (typeof link.to === 'number') known.add(link.to);
      const url = outlink?.url ?? (typeof link.to === 'string' ? link.to : undefined);
      const key = url === undefined ? undefined : keyOf(url);
      if (key !== undefined) targets.add(key);
      const anchor = link.anchor || (outlink?.anchor.slice(0, 80) ?? '');
      const fragment = withoutText(link.fragment);
      const { kind, line } = link;
      await add(key, RECORD.link, { source, kind, line, rel: link.rel | IN_FACTS, fragment, anchor });
    }
    for (const [place, { url, anchor, sitemap }] of outlinks.entries()) {
      if (known.has(place)) continue;
      const key = keyOf(url);
      if (key === undefined || targets.has(key)) continue;
      if (isSitemap && sitemap) continue;
      await add(key, isSitemap ? RECORD.listed : RECORD.link, { ...plainLink(source), anchor: anchor.slice(0, 80) });
    }
    for (const { raw, flaw, kind, line, anchor } of facts.bad) {
      await add(`\u0001${FLAWS[flaw]}: ${Buffer.from(raw).toString('latin1').replaceAll('\0', '')}`, RECORD.link, {
        ...plainLink(source),
        kind,
        line,
        anchor,
      });
    }
    const named = { ...plainLink(source), rel: IN_FACTS };
    const canonical = parseStatus?.canonical === undefined ? undefined : keyOf(parseStatus.canonical);
    const stated = new Set(facts.canonicals.map(({ url }) => keyOf(url)));
    if (canonical !== row.key) {
      await add(canonical, RECORD.canonical, stated.has(canonical) ? named : plainLink(source));
    }
    for (const key of stated) {
      if (key !== undefined && key !== canonical) await records.add(key, RECORD.named, packLink(named));
    }
    for (const { tag, url } of facts.alternates) await add(keyOf(url), RECORD.alternate, { ...named, anchor: tag });
    // A page that names another page as canonical, or as its version for another region, has declared the duplicate itself.
    const original = duplicateOf !== undefined && isIndexable ? keyOf(duplicateOf) : undefined;
    if (!facts.alternates.some(({ url }) => keyOf(url) === original))
      await add(original, RECORD.duplicate, plainLink(source));
  }
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function plainLink(source: number): LinkRecord {
  return { source, kind: LINK, rel: 0, line: 0, fragment: '', anchor: '' };
}

function shareOf({ rank, outlinks = [] }: AuditRow, { links }: PageFacts): number {
  return rank === undefined ? 0 : rank / Math.max(1, outlinks.length, links.length);
}

function count(counts: ScanCounts, gaps: Gaps, host: Mutable<HostNote>, row: AuditRow, seen: SeenRow): void {
  const { protocolStatus, refusedBy, distance, parseStatus } = row;
  const { facts, page, note } = seen;
  const gap = (reason: GapReason): void => gaps.add(reason, page.url);
  if (distance === 0) host.seeds += 1;
  if (seen.isPage) {
    counts.pages += 1;
    host.pages += 1;
    const isBodyCut = protocolStatus?.truncated === true;
    const isCut = isBodyCut || (facts.marks & MARKS.truncated) !== 0 || facts.cutLinks > 0;
    if (isCut) gap(isBodyCut ? 'bodyCut' : 'tooLarge');
    if (seen.isHtml && !page.hasFacts) gap('withoutFacts');
    if (isSitemapRow(row, facts)) {
      if (isCut || parseStatus?.code !== 'success') host.unreadSitemaps += 1;
      else host.sitemaps = [...new Set([...host.sitemaps, originOf(page.url)])];
      if (facts.marks & MARKS.alternates) host.alternates = true;
    }
    return;
  }
  if (row.sitemap) host.unreadSitemaps += 1;
  if (!protocolStatus) {
    if (refusedBy?.startsWith('distance')) gap('tooFar');
    else if (refusedBy === undefined) gap('notFetched');
  } else if (distance === 0 && protocolStatus.code === 'robots_denied') gap('deniedSeeds');
  else if (note.verdict === 'failing') {
    // A page that failed in two crawls is a fault of the site, and will not be read by another crawl.
    if (!(note.flags & ROW.twice)) gap('failing');
  } else if (note.verdict === 'blocked') gap('blocked');
}

/** Why a page was not read, or only in part. Each text follows a number of pages. */
const REASONS = {
  deniedSeeds: 'named as a seed and denied by robots.txt',
  notFetched: 'known and not fetched yet',
  tooFar: 'too far from a seed to be fetched (--depth, generate.maxDistance)',
  failing: 'failed, and will be retried',
  blocked: 'refused to crawlers by the server (--exclude leaves pages out)',
  bodyCut: 'read in part, because the body is longer than http.contentLimit or the connection broke',
  tooLarge: 'read in part, because of too many elements, ids or links',
  manyLinks: 'with at least as many links as db.maxOutlinksPerPage lets a crawl follow',
  withoutFacts: 'without facts (parser.audit) and without a stored body',
  damaged: 'with damaged rows',
} as const;

type GapReason = keyof typeof REASONS;

const MAX_NAMED_PAGES = 3;

type Gaps = ReturnType<typeof createGaps>;

function createGaps() {
  const found = new Map<GapReason, { count: number; urls: string[] }>();
  return {
    add(reason: GapReason, url: string): void {
      const gap = found.get(reason) ?? { count: 0, urls: [] };
      gap.count += 1;
      if (gap.urls.length < MAX_NAMED_PAGES) gap.urls.push(url);
      found.set(reason, gap);
    },
    count: (reason: GapReason): number => found.get(reason)?.count ?? 0,
    lines(): string[] {
      return (Object.keys(REASONS) as GapReason[]).flatMap((reason) => {
        const gap = found.get(reason);
        if (!gap) return [];
        const more = gap.count > gap.urls.length ? ', …' : '';
        const named = gap.urls.map((url) => safeText(url, 200)).join(', ');
        return [`${figures.quantity(gap.count, 'page')} ${REASONS[reason]}: ${named}${more}`];
      });
    },
  };
}
