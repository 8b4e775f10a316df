import { LAST_MOMENT, batchTime, type BackoffRecord, type BatchHeader, type PageRow } from '../../../webtable/index.js';
import { safeText } from '../../errors/index.js';
import { applyUrlChain, type UrlVerdict } from '../../plugin-api/index.js';
import { isSetAside } from '../hosts/backoff-record.js';
import type { CrawlContext } from '../context.js';
import type { RobotsExplanation } from './explain-robots.js';
import { SELECTION_FIELDS } from '../fetching/fetch-item.js';
import { isReleasedSource } from '../rows/reschedule.js';
import { refusalOf, rejection } from '../selection/refusal.js';

/** What happens next to a URL, and why. */
export interface NextStep {
  /**
   * `rejected`: no table takes it. `not_in_table`: it would be taken. `held_*`: a batch has it and waits for that job.
   * `locked`: a batch that can do nothing more with it has it. `blocked`: a rule or a setting keeps generate from it.
   * `waiting`: not due yet, or its host is to be left alone. `due`: the next generate may take it. `damaged`, `not_indexed`: generate cannot take it.
   */
  readonly kind:
    | 'rejected'
    | 'not_in_table'
    | 'held_generate'
    | 'held_fetch'
    | 'held_parse'
    | 'held_updatedb'
    | 'locked'
    | 'damaged'
    | 'not_indexed'
    | 'blocked'
    | 'waiting'
    | 'due';
  /** For people; untrusted parts are made safe. */
  readonly text: string;
  /** When it happens at the earliest, in ms since the epoch, where that is known. */
  readonly at?: number;
}

/** What telling what happens next to a row reads of it. */
export const NEXT_FIELDS = [...SELECTION_FIELDS, 'cashInFlight', 'retries'] as const;
type Row = PageRow<(typeof NEXT_FIELDS)[number]>;

/** What {@link nextOfRow} goes by. */
export interface RowState {
  /** Normalised. */
  readonly url: string;
  readonly row: Row;
  /** The batch of the generate mark, where one is known. */
  readonly batch: BatchHeader | undefined;
  /** The batch of the updatedb mark, where one is known. */
  readonly lastBatch: BatchHeader | undefined;
  /** Whether generate cannot read all that it needs of the row. */
  readonly isDamaged: boolean;
  /** Whether the frontier leads to the row. */
  readonly isIndexed: boolean;
  readonly robots: RobotsExplanation;
  readonly backoff: BackoffRecord | undefined;
}

const AS_SITEMAP = ' As a sitemap that a robots.txt or an index names it would be taken.';

/** What would happen to a URL that the table does not hold. @param verdict on it as a seed */
export function nextOfUnknown(crawl: CrawlContext, given: string, verdict: UrlVerdict): NextStep {
  if (!verdict.accepted) {
    const isTaken = (sitemap: boolean) => applyUrlChain(crawl.plugins, given, 'outlink', { sitemap }).accepted;
    const note = !isTaken(false) && isTaken(true) ? AS_SITEMAP : '';
    return { kind: 'rejected', text: `Not in the table, and not taken: ${rejection(crawl, verdict)}.${note}` };
  }
  const asLink = applyUrlChain(crawl.plugins, given, 'outlink');
  // Of a sitemap only the patterns that exclude are asked.
  const isKeptOut = (isSitemap: boolean): boolean =>
    asLink.accepted &&
    (crawl.scope?.excludes(asLink.url, isSitemap) !== undefined ||
      crawl.scope?.isOutside(asLink.url, isSitemap) === true);
  const note = isKeptOut(false) && !isKeptOut(true) ? AS_SITEMAP : '';
  const { updateAdditionsAllowed, ignoreExternalLinks, ignoreExternalLinksMode } = crawl.settings.db;
  const excluded = asLink.accepted ? crawl.scope?.excludes(asLink.url) : undefined;
  let link = 'as a seed, or when a page links to it';
  if (!asLink.accepted) link = `as a seed only; as a link it is ${rejection(crawl, asLink)}`;
  else if (!updateAdditionsAllowed) link = 'as a seed only; db.updateAdditionsAllowed is off';
  else if (excluded !== undefined) link = `as a seed only; as a link it is left out: ${safeText(excluded)}`;
  else if (crawl.scope?.isOutside(asLink.url)) link = 'as a seed only; the crawl stays in the folders of its seeds';
  else if (ignoreExternalLinks) link = `as a seed, or when a page of the same ${ignoreExternalLinksMode} links to it`;
  return { kind: 'not_in_table', text: `Not in the table. It would be taken ${link}.${note}` };
}

/** What happens next to a row, in the order in which the jobs would decide. */
export function nextOfRow(crawl: CrawlContext, state: RowState): NextStep {
  const { row, isDamaged, isIndexed } = state;
  const held = nextOfHeld(crawl, state);
  if (held) return held;
  if (isDamaged) return { kind: 'damaged', text: 'The row cannot be read in full, and generate passes it over.' };
  if (!isIndexed) {
    return { kind: 'not_indexed', text: 'No entry of the frontier leads to it: run `webcrawl repair`.' };
  }
  const block = blockOf(crawl, state);
  if (block !== undefined) return { kind: 'blocked', text: `generate does not select it: ${block}.` };

  const now = crawl.clock();
  const at = row.dueAt ?? 0;
  const robots = robotsNote(state.robots);
  const { backoff } = state;
  const rest = backoffNote(backoff, Math.max(at, now));
  if (at > now) {
    let why = 'Due again';
    if (row.status === 'gone') why = 'Gone; looked at again';
    else if ((row.retries ?? 0) > 0) why = `Failed ${times(row.retries ?? 0)}; tried again`;
    else if (row.status === undefined || row.status === 'unfetched') why = 'Not fetched yet; due';
    return { kind: 'waiting', at, text: `${why} at ${iso(at)}.${lockedNote(row)}${rest}${robots}` };
  }
  const lost =
    row.marks?.generate === undefined
      ? ''
      : ` Batch ${safeText(row.marks.generate, 80)} held it too long, and generate releases it.`;
  if (backoff && isSetAside(crawl.settings, backoff, now)) {
    const text = `Due since ${iso(at)}, but generate passes it over for now.${rest}${robots}`;
    return { kind: 'waiting', at: backoff.until, text };
  }
  return {
    kind: 'due',
    at: now,
    text: `Due since ${iso(at)}: the next generate selects it${limits(crawl)}.${lost}${rest}${robots}`,
  };
}

/** What the batch that holds a row waits for; undefined where none holds it, or none any more. */
function nextOfHeld(crawl: CrawlContext, state: RowState): NextStep | undefined {
  const { row, batch, lastBatch, robots, backoff } = state;
  const id = row.marks?.generate;
  if (lastBatch?.state === 'updating' && isReleasedSource(row, lastBatch.batchId)) {
    const name = `batch ${safeText(lastBatch.batchId, 80)}`;
    return { kind: 'held_updatedb', text: `Released by ${name}, of which updatedb has not come to the end.` };
  }
  if (id === undefined) return undefined;
  const lockExpiry = crawl.settings.generate.lockExpiry * 1000;
  const expiry = (batchTime(id) ?? 0) + lockExpiry;
  const name = `batch ${safeText(id, 80)}`;
  if (batch?.state === 'generating') {
    return { kind: 'held_generate', text: `In ${name}, which generate has not finished; run again, it takes it back.` };
  }
  if (batch?.state === 'updating') {
    return { kind: 'held_updatedb', text: `In ${name}, on which updatedb has begun: updatedb releases it.` };
  }
  if (batch?.state !== 'open') {
    const why = batch ? 'which is closed' : 'which is not known';
    return { kind: 'locked', text: `Held by ${name}, ${why}: run \`webcrawl repair\`.` };
  }
  if (expiry <= crawl.clock()) return undefined;
  const lock = `; its lock expires at ${iso(expiry)}`;
  if (row.marks?.fetch !== id) {
    const refused = refusalOf(crawl, row);
    if (
      refused &&
      refused.rule !== undefined &&
      crawl.ruleSet?.ruleOf(refused.rule) &&
      crawl.ruleSet.version !== batch.rules
    ) {
      return {
        kind: 'held_fetch',
        text: `In ${name}, but fetch does not ask for it, and updatedb releases it: ${refused.why()}.`,
      };
    }
    const notes = backoffNote(backoff, crawl.clock()) + robotsNote(robots);
    return { kind: 'held_fetch', text: `In ${name}, which waits for fetch${lock}.${notes}` };
  }
  const canParse = row.status === 'fetched' && row.marks.parse !== id && row.parseStatus === undefined;
  if (canParse) return { kind: 'held_parse', text: `In ${name}: fetched, and waits for parse${lock}.` };
  return { kind: 'held_updatedb', text: `In ${name}: done, and waits for updatedb${lock}.` };
}

/** Why generate refuses a row whenever it is due. */
function blockOf(crawl: CrawlContext, { row }: RowState): string | undefined {
  return (
    refusalOf(crawl, row)?.why() ?? (crawl.settings.generate.maxCount === 0 ? 'generate.maxCount is 0' : undefined)
  );
}

function limits(crawl: CrawlContext): string {
  const { maxCount } = crawl.settings.generate;
  if (maxCount < 0) return ', unless topN pages with a better score are due';
  return `, unless topN pages, or ${maxCount} of its ${crawl.settings.partition.urlMode}, with a better score are due`;
}

/** @param from when it would be fetched otherwise, in ms since the epoch */
function backoffNote(backoff: BackoffRecord | undefined, from: number): string {
  if (!backoff || backoff.until <= from) return '';
  const why = `it failed ${times(backoff.failures)}, with ${backoffReason(backoff)}`;
  return ` Its host is left alone until ${iso(backoff.until)}: ${why}.`;
}

/** Safe to show. */
function backoffReason({ code, http }: BackoffRecord): string {
  return http === undefined ? safeText(code, 80) : `HTTP ${http}`;
}

function lockedNote({ protocolStatus }: Row): string {
  const http = protocolStatus?.http;
  if (http !== 401 && http !== 403) return '';
  return ` The server answered ${http}: where it wants a password, http.credentials has it; named as a seed it is tried at once.`;
}

function robotsNote(robots: RobotsExplanation): string {
  const line = robots.line && `line ${robots.line.number}: ${safeText(robots.line.text)}`;
  if (robots.verdict === 'denied') return ` robots.txt denies it (${line ?? 'no line'}), so fetch will not ask for it.`;
  if (robots.verdict === 'unavailable')
    return ' Its robots.txt is not available now, so fetch would leave its host alone.';
  if (robots.delayTooLong) return ' The Crawl-delay is beyond fetcher.maxCrawlDelay, so fetch will not ask for it.';
  return '';
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times in a row`;
}

/** A time in ms since the epoch; one that no calendar holds is shown as the number. */
function iso(time: number): string {
  return Math.abs(time) <= LAST_MOMENT ? new Date(time).toISOString() : String(time);
}
