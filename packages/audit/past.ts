import {
  contentTypeOf,
  parseContent,
  storedVersion,
  urlOf,
  type CrawlContext,
  type ParsedPage,
  type StoredVersion,
} from '../core/index.js';
import { readRow } from './collect/seen-row.js';
import { FACTS_FIELD, FLAWS, NO_FACTS, type PageFacts } from './facts/facts.js';
import { factsOfBody } from './facts/row-facts.js';
import type { AuditRow, AuditedPage, Site } from './rule.js';

export type Relation = 'link' | 'canonical' | 'alternate' | 'listed';

export interface PastPage {
  /** Undefined: it could not be parsed. */
  readonly page: AuditedPage | undefined;
  /** The row keys that the page named, each also with its fragment; for `link` also the links that are not URLs, as `<flaw>: <text>`. */
  readonly named: Readonly<Record<Relation, ReadonlySet<string>>>;
}

/**
 * What is known of a page at that moment. `same`: its bytes have not changed since. `new`: there was no such page. `unknown`: the version
 * of that moment is not stored.
 */
export type Past = 'same' | 'new' | 'unknown' | PastPage;

const MAX_KEPT = 200;

/**
 * Creates a reader of the pages as they were at a moment, from the bodies that `db.keepVersions` keeps.
 * @param isNewPage whether the page came, or came back, after the moment
 */
export function createPast(
  crawl: CrawlContext,
  { since, isNewPage, keyOf }: { since: number; isNewPage: (key: string) => boolean; keyOf: Site['keyOf'] },
) {
  const kept = new Map<string, Promise<Past>>();

  async function read(row: AuditRow, number: number): Promise<Past> {
    if ((row.bytesChangedAt ?? row.changedAt ?? 0) <= since) return 'same';
    if (isNewPage(row.key) || (row.firstSeenAt ?? 0) > since) return 'new';
    const version = await storedVersion(crawl, row, (fetchedAt) => fetchedAt <= since);
    return version ? pastPage(row, number, version) : 'unknown';
  }

  async function pastPage(row: AuditRow, number: number, version: StoredVersion): Promise<PastPage> {
    const given = { ...version, sitemap: row.sitemap };
    const { outcome } = await parseContent(crawl, given);
    if (outcome.kind === 'failed') return { page: undefined, named: namedBy(undefined, NO_FACTS) };
    const facts = factsOfBody(crawl, given, outcome.charset);
    const seen = readRow(pastRow(row, outcome, contentTypeOf(given), given.content.length), facts);
    return { page: { ...seen.page, number }, named: namedBy(outcome, facts) };
  }

  function pastRow(row: AuditRow, outcome: ParsedPage, contentType: string, bodyBytes: number): AuditRow {
    const { duplicateOf: _, language: __, parseStatus: ___, redirectTarget: ____, ...rest } = row;
    const canonical = outcome.canonical === undefined ? undefined : keyOf(outcome.canonical);
    return {
      ...rest,
      status: 'fetched',
      protocolStatus: { code: 'success', http: 200 },
      parseStatus: {
        code: 'success',
        ...(canonical !== undefined && { canonical: urlOf(canonical) }),
        ...(outcome.robots.noindex && { noindex: true }),
      },
      title: outcome.title,
      ...(outcome.language !== undefined && { language: outcome.language }),
      contentType,
      bodyBytes,
      custom: { [FACTS_FIELD]: null },
    };
  }

  function namedBy(outcome: ParsedPage | undefined, facts: PageFacts): PastPage['named'] {
    const named = {
      link: new Set<string>(),
      canonical: new Set<string>(),
      alternate: new Set<string>(),
      listed: new Set<string>(),
    };
    const add = (relation: Relation, url: string, fragment = ''): void => {
      const key = keyOf(url);
      if (key === undefined) return;
      named[relation].add(key);
      if (fragment !== '') named[relation].add(`${key}#${fragment}`);
    };
    for (const { url } of outcome?.outlinks ?? []) {
      add('link', url);
      add('listed', url);
    }
    for (const { to, fragment } of facts.links) if (typeof to === 'string') add('link', to, fragment);
    for (const { raw, flaw } of facts.bad) named.link.add(`${FLAWS[flaw]}: ${raw}`);
    for (const { url } of facts.canonicals) add('canonical', url);
    if (outcome?.canonical !== undefined) add('canonical', outcome.canonical);
    for (const { url } of facts.alternates) add('alternate', url);
    return named;
  }

  return {
    of(row: AuditRow, number: number): Promise<Past> {
      let past = kept.get(row.key);
      if (!past) {
        if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value!);
        kept.set(row.key, (past = read(row, number)));
      }
      return past;
    },
  };
}
