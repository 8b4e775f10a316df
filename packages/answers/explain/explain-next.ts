import {
  LAST_MOMENT,
  batchTime,
  type BackoffRecord,
  type BatchHeader,
  type PageRow,
  applyUrlChain,
  type UrlVerdict,
  isSetAside,
  type ScopedCrawl,
  type RulesInForce,
  SELECTION_FIELDS,
  isRedirect,
  isReleasedSource,
  latestDue,
  refusalOf,
  rejection,
} from '../../core/index.js';
import { safeText } from '../../errors/index.js';
import type { RobotsExplanation } from './explain-robots.js';

/** The next step of a URL, and the reason. */
export interface NextStep {
  /**
   * `rejected`: the URL would be rejected. `not_in_table`: the URL would be accepted. `held_*`: the URL is in a batch, which waits for that
   * job. `locked`: the URL is in a batch that cannot complete. `blocked`: because of a rule or a setting, generate does not select the URL.
   * `waiting`: the URL is not due yet, or its host is in back-off. `due`: the next generate may select the URL. `damaged`, `not_indexed`:
   * generate cannot select the URL.
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
  /** Text for people; untrusted parts are made safe. */
  readonly text: string;
  /** The earliest time of the step, in ms since the epoch, if it is known. */
  readonly at?: number;
}

export const NEXT_FIELDS = [...SELECTION_FIELDS, 'cashInFlight', 'retries'] as const;
type Row = PageRow<(typeof NEXT_FIELDS)[number]>;

interface RowState {
  readonly url: string;
  readonly row: Row;
  readonly batch: BatchHeader | undefined;
  readonly lastBatch: BatchHeader | undefined;
  /** Whether a field that generate needs cannot be read. */
  readonly isDamaged: boolean;
  readonly isIndexed: boolean;
  readonly robots: RobotsExplanation;
  readonly backoff: BackoffRecord | undefined;
}

const AS_SITEMAP = ' As a sitemap, named by a robots.txt or a sitemap index, it would be accepted.';

const WAITS =
  'Not in the table yet: entries for it wait in the inbox of its slot, which the owner of the slot has not read.';

/** @param inbox the number of entries for the URL in the inbox of its slot */
export function nextOfUnknown(
  crawl: ScopedCrawl,
  rules: RulesInForce,
  given: string,
  verdict: UrlVerdict,
  inbox = 0,
): NextStep {
  if (!verdict.accepted) {
    const isTaken = (sitemap: boolean) => applyUrlChain(rules.plugins, given, 'outlink', { sitemap }).accepted;
    const note = !isTaken(false) && isTaken(true) ? AS_SITEMAP : '';
    return { kind: 'rejected', text: `Not in the table, and not accepted: ${rejection(rules, verdict)}.${note}` };
  }
  const asLink = applyUrlChain(rules.plugins, given, 'outlink');
  // For a sitemap, only the patterns of `exclude` are checked.
  const isKeptOut = (isSitemap: boolean): boolean =>
    asLink.accepted &&
    (crawl.scope.excludes(asLink.url, isSitemap) !== undefined || crawl.scope.isOutside(asLink.url, isSitemap));
  const note = isKeptOut(false) && !isKeptOut(true) ? AS_SITEMAP : '';
  const { updateAdditionsAllowed, ignoreExternalLinks, ignoreExternalLinksMode } = crawl.settings.db;
  const excluded = asLink.accepted ? crawl.scope.excludes(asLink.url) : undefined;
  let link = 'as a seed, or when a page links to it';
  if (!asLink.accepted) link = `as a seed only; as a link it is ${rejection(rules, asLink)}`;
  else if (!updateAdditionsAllowed) link = 'as a seed only; db.updateAdditionsAllowed is off';
  else if (excluded !== undefined) link = `as a seed only; as a link it is left out: ${safeText(excluded)}`;
  else if (crawl.scope.isOutside(asLink.url)) link = 'as a seed only; the crawl stays in the folders of its seeds';
  else if (ignoreExternalLinks && !crawl.scope.isOnSeedSite(asLink.url))
    link = `as a seed, or when a page of the same ${ignoreExternalLinksMode} links to it`;
  const where = inbox > 0 ? WAITS : 'Not in the table.';
  return { kind: 'not_in_table', text: `${where} It would be accepted ${link}.${note}` };
}

/** Returns the next step of a row. The conditions are checked in the same order as in the jobs. */
export function nextOfRow(crawl: ScopedCrawl, rules: RulesInForce, state: RowState): NextStep {
  const { row, isDamaged, isIndexed } = state;
  const held = nextOfHeld(crawl, rules, state);
  if (held) return held;
  if (isDamaged) return { kind: 'damaged', text: 'The row cannot be read in full, and generate skips it.' };
  if (!isIndexed) {
    return { kind: 'not_indexed', text: 'The frontier has no entry for this row: run `webcrawl repair`.' };
  }
  const block = blockOf(crawl, rules, state);
  if (block !== undefined) return { kind: 'blocked', text: `generate does not select it: ${block}.` };

  const now = crawl.clock();
  const at = row.dueAt ?? 0;
  const robots = robotsNote(state.robots);
  const { backoff } = state;
  const rest = backoffNote(backoff, Math.max(at, now));
  if (at > latestDue(crawl, now)) {
    const wrong = `Due at ${iso(at)}, later than the longest interval allows, probably because a clock was ahead`;
    return { kind: 'due', at: now, text: `${wrong}: the next generate makes it due.${rest}${robots}` };
  }
  if (at > now) {
    if (row.protocolStatus?.code === 'robots_denied') {
      return {
        kind: 'waiting',
        at,
        text: `${deniedText(row, state.robots)} Checked again on ${iso(at).slice(0, 10)}.`,
      };
    }
    return { kind: 'waiting', at, text: `${waitingText(row)}: ${iso(at)}.${lockedNote(row)}${rest}${robots}` };
  }
  const lost =
    row.marks?.generate === undefined
      ? ''
      : ` Batch ${safeText(row.marks.generate, 80)} held it too long, and generate releases it.`;
  if (backoff && isSetAside(crawl.settings, backoff, now)) {
    const text = `Due since ${iso(at)}, but generate skips it for now.${rest}${robots}`;
    return { kind: 'waiting', at: backoff.until, text };
  }
  return {
    kind: 'due',
    at: now,
    text: `Due since ${iso(at)}: the next generate selects it${limits(crawl)}.${lost}${rest}${robots}`,
  };
}

/** Returns the step for which the batch of a row waits. Undefined: the row is in no batch now. */
function nextOfHeld(crawl: ScopedCrawl, rules: RulesInForce, state: RowState): NextStep | undefined {
  const { row, batch, lastBatch, robots, backoff } = state;
  const id = row.marks?.generate;
  if (lastBatch?.state === 'updating' && isReleasedSource(row, lastBatch.batchId)) {
    const name = `batch ${safeText(lastBatch.batchId, 80)}`;
    return { kind: 'held_updatedb', text: `Released by ${name}, whose updatedb has not ended.` };
  }
  if (id === undefined) return undefined;
  const lockExpiryMs = crawl.settings.generate.lockExpirySeconds * 1000;
  const expiry = (batchTime(id) ?? 0) + lockExpiryMs;
  const name = `batch ${safeText(id, 80)}`;
  if (batch?.state === 'generating') {
    return {
      kind: 'held_generate',
      text: `In ${name}, which generate has not finished. When generate is run again, it releases the rows.`,
    };
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
    const refused = refusalOf(crawl, rules, row);
    if (
      refused &&
      refused.rule !== undefined &&
      rules.ruleSet.ruleOf(refused.rule) &&
      rules.ruleSet.version !== batch.rules
    ) {
      return {
        kind: 'held_fetch',
        text: `In ${name}, but fetch does not request it, and updatedb releases it: ${refused.why()}.`,
      };
    }
    const notes = backoffNote(backoff, crawl.clock()) + robotsNote(robots);
    return { kind: 'held_fetch', text: `In ${name}, which waits for fetch${lock}.${notes}` };
  }
  const canParse = row.status === 'fetched' && row.marks.parse !== id && row.parseStatus === undefined;
  if (canParse) return { kind: 'held_parse', text: `In ${name}: fetched, and waits for parse${lock}.` };
  return { kind: 'held_updatedb', text: `In ${name}: done, and waits for updatedb${lock}.` };
}

/** Returns why generate refuses this row each time when the row is due. Undefined: generate does not refuse the row. */
function blockOf(crawl: ScopedCrawl, rules: RulesInForce, { row }: RowState): string | undefined {
  return (
    refusalOf(crawl, rules, row)?.why() ??
    (crawl.settings.generate.maxCount === 0 ? 'generate.maxCount is 0' : undefined)
  );
}

function limits(crawl: ScopedCrawl): string {
  const { maxCount } = crawl.settings.generate;
  if (maxCount < 0) return ', unless topN pages with a better score are due';
  return `, unless topN pages, or ${maxCount} of its ${crawl.settings.partition.urlMode}, with a better score are due`;
}

/** @param planned when the row would be fetched without back-off, in ms since the epoch */
function backoffNote(backoff: BackoffRecord | undefined, planned: number): string {
  if (!backoff || backoff.until <= planned) return '';
  const why = `it failed ${times(backoff.failures)}, with ${backoffReason(backoff)}`;
  return ` Its host is in back-off until ${iso(backoff.until)}: ${why}.`;
}

/** Returns the reason of the back-off. It is safe to show. */
function backoffReason({ code, http }: BackoffRecord): string {
  return http ? `HTTP ${http}` : safeText(code, 80);
}

function waitingText({ status, retries = 0, protocolStatus }: Row): string {
  const http = protocolStatus?.http;
  const why = http === undefined ? safeText(protocolStatus?.code ?? '', 80) : String(http);
  const because = why === '' ? '' : ` (${why})`;
  if (status === 'gone') {
    const isLost = http === 404 || http === 410 || why === '';
    return `${isLost ? 'Gone' : 'Failed'}${because}. Next fetch`;
  }
  if (retries > 0) return `Failed ${times(retries)}${because}. Next attempt`;
  if (status === undefined || status === 'unfetched') return 'Not fetched yet. First fetch';
  return `${isRedirect(status) ? 'Redirected' : 'Fetched'}. Next fetch`;
}

function deniedText({ protocolStatus }: Row, { verdict }: RobotsExplanation): string {
  const now = verdict === 'allowed' ? ' The stored robots.txt allows it now.' : '';
  return `Not fetched: robots.txt disallows it (${safeText(protocolStatus?.message ?? 'no line')}).${now}`;
}

function lockedNote({ protocolStatus }: Row): string {
  const http = protocolStatus?.http;
  if (http !== 401 && http !== 403) return '';
  return ' If it needs a password, set http.credentials, and inject it as a seed: it is then fetched at once.';
}

function robotsNote(robots: RobotsExplanation): string {
  const line = robots.line && `line ${robots.line.number}: ${safeText(robots.line.text)}`;
  if (robots.verdict === 'denied') {
    return ` robots.txt disallows it (${line ?? 'no line'}), so fetch will not request it.`;
  }
  if (robots.verdict === 'unavailable')
    return ' Its robots.txt is not available now, so fetch would not request pages of its host.';
  if (robots.delayTooLong) return ' The Crawl-delay is beyond fetcher.maxCrawlDelay, so fetch will not request it.';
  return '';
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times in a row`;
}

/** Writes a time in ms since the epoch as text. A time that `Date` cannot represent is written as a number. */
function iso(time: number): string {
  return Math.abs(time) <= LAST_MOMENT ? new Date(time).toISOString() : String(time);
}
