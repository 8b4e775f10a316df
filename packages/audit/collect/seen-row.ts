import { TO_ITSELF, isPage, tryRowKeyOf, urlOf } from '../../core/index.js';
import { MARKS, NO_FACTS, type PageFacts } from '../facts/facts.js';
import { saysNotFound } from '../not-found.js';
import type { AuditRow, AuditedPage } from '../rule.js';
import { verdictOf } from '../verdict.js';
import type { Ending } from './records.js';
import { ROW } from './row-table.js';

export type SeenRow = ReturnType<typeof readRow>;

export function readRow(row: AuditRow, known: PageFacts | undefined) {
  const { status, protocolStatus, parseStatus, retries = 0, title = '' } = row;
  const verdict = verdictOf(protocolStatus);
  const facts = known ?? NO_FACTS;
  const isWall = (facts.marks & MARKS.wall) !== 0;
  const isAnswered = isPage(status) && verdict === 'ok' && !isWall;
  // 204: the response has no content. Some servers send a sitemap as HTML.
  const mayBeHtml = isHtmlType(row.contentType) && protocolStatus?.http !== 204 && !(facts.marks & MARKS.sitemap);
  const isHtml = isAnswered && mayBeHtml && parseStatus?.code === 'success';
  const canonical = parseStatus?.canonical;
  const notCanonical = canonical !== undefined && tryRowKeyOf(canonical) !== row.key;
  const noindex = parseStatus?.noindex === true;
  const isIndexable = isHtml && !noindex && !notCanonical;
  const toItself = verdict === 'redirect' && row.redirectTarget === undefined && protocolStatus?.message === TO_ITSELF;
  const flags =
    (isAnswered ? ROW.page : 0) |
    (isHtml ? ROW.html : 0) |
    (isIndexable ? ROW.indexable : 0) |
    (noindex ? ROW.noindex : 0) |
    (protocolStatus?.code === 'robots_denied' ? ROW.denied : 0) |
    (notCanonical ? ROW.notCanonical : 0) |
    (isAnswered && parseStatus?.code === 'unsupported_type' ? ROW.unsupported : 0) |
    (status === 'redir_perm' ? ROW.permanent : 0) |
    (known ? ROW.facts : 0) |
    (retries > 1 || isTwice(row) ? ROW.twice : 0) |
    (row.signature !== undefined || row.logged?.stands === 'page' ? ROW.wasPage : 0) |
    (row.distance === 0 ? ROW.seed : 0) |
    (toItself ? ROW.toItself : 0) |
    (row.sitemap === true ? ROW.namedSitemap : 0);
  return {
    facts,
    isPage: isAnswered,
    isHtml,
    ending: endingOf(row),
    note: {
      verdict: isWall ? ('blocked' as const) : verdict,
      http: protocolStatus?.http ?? 0,
      flags,
      changedAt: row.changedAt ?? 0,
      bytesChangedAt: row.bytesChangedAt ?? row.changedAt ?? 0,
      requestedAt: row.fetchedAt ?? 0,
    },
    page: {
      url: urlOf(row.key),
      row,
      facts,
      hasFacts: known !== undefined,
      isIndexable,
      saysNotFound: isHtml && saysNotFound(title, facts.h1),
    } satisfies Omit<AuditedPage, 'number'>,
  };
}

/** Whether two successive requests failed, at least a minute apart. */
function isTwice({ logged, fetchedAt = 0 }: AuditRow): boolean {
  return logged?.failing !== undefined && fetchedAt - logged.failing.since >= 60_000;
}

function endingOf({ protocolStatus, redirectTarget, retries, logged }: AuditRow): Ending | undefined {
  if (!protocolStatus || verdictOf(protocolStatus) === 'ok') return undefined;
  const { code, message } = protocolStatus;
  return {
    code,
    ...(message !== undefined && { message }),
    ...(redirectTarget !== undefined && { to: redirectTarget }),
    ...(retries !== undefined && retries > 0 && { tries: retries }),
    ...(logged?.failing && { since: logged.failing.since }),
    ...(logged?.failing && logged.seenAt !== undefined && { lastOkAt: logged.seenAt }),
  };
}

export function isSitemapRow({ sitemap, contentType }: AuditRow, { marks }: PageFacts): boolean {
  return (sitemap === true && !isHtmlType(contentType)) || (marks & MARKS.sitemap) !== 0;
}

function isHtmlType(contentType = ''): boolean {
  return contentType === 'text/html' || contentType === 'application/xhtml+xml';
}
