import { expect, expectTypeOf, test } from 'vitest';
import { FLAWS, MARKS } from '../packages/audit/facts/facts.js';
import { LINK_KINDS, REL } from '../packages/audit/facts/kinds.js';
import { VERDICTS } from '../packages/audit/verdict.js';
import type { ProposalReason } from '../packages/focus/candidates/candidate.js';
import { causeOfRule, ruleOfCause } from '../packages/jobs/selection/refusals.js';
import { PARSE_CODES, PROTOCOL_CODES } from '../packages/plugin-api/index.js';
import type { ChangeTarget, DeadLetter, Waiting } from '../packages/watch/target-state.js';
import {
  CHANGE_KINDS,
  type BackoffRecord,
  type ChangeSide,
  type LoggedChange,
  type LoggedHost,
  type Outlink,
  type ParseStatus,
  type ProtocolStatus,
  type RuleKind,
  type SeedReach,
  type UrlRule,
  type WwwRule,
} from '../webtable/index.js';
import { RENAMED_CODES, RENAMED_FIELDS, RENAMED_KINDS } from '../webtable/migrations/renamed-names.js';
import {
  FIELD_COLUMNS,
  INDEX_COLUMNS,
  INLINK_CELLS_PREFIX,
  MARK_COLUMNS,
  RULE_COLUMN_PREFIX,
  SCHEMA_VERSION,
  STATUS_CODES,
  TABLES,
} from '../webtable/schema.js';

/**
 * The names that tables store, written down a second time. A name may be added here. A name that was changed or removed needs another
 * schema version and a migration, or rows that exist cannot be read.
 */
const words = (text: string): string[] => text.trim().split(/\s+/);

test('the stored names belong to this version of the schema', () => {
  expect(SCHEMA_VERSION).toBe(8);
});

test('tables, families and columns keep their names', () => {
  expect(TABLES).toEqual({
    webpage: { m: 'record', l: 'wide', p: 'packed' },
    content: { c: 'packed' },
    frontier: { f: 'packed' },
    batch: { b: 'packed' },
    host: { h: 'packed' },
    rule: { r: 'packed' },
    meta: { v: 'packed' },
  });
  expect(FIELD_COLUMNS).toEqual({
    status: 'm:st',
    dueAt: 'm:ft',
    fetchedAt: 'm:pf',
    fetchInterval: 'm:fi',
    retries: 'm:re',
    modifiedAt: 'm:mt',
    firstSeenAt: 'm:fs',
    changedAt: 'm:ch',
    bytesChangedAt: 'm:by',
    foundAs: 'm:fa',
    score: 'm:sc',
    cash: 'm:ca',
    cashInFlight: 'm:sh',
    distance: 'm:di',
    distanceInFlight: 'm:dh',
    signature: 'm:sg',
    prevSignature: 'm:ps',
    newSignature: 'm:ns',
    protocolStatus: 'm:pr',
    parseStatus: 'm:pa',
    contentType: 'm:ct',
    redirectTarget: 'm:rt',
    redirectDepth: 'm:rn',
    linkedUpTo: 'm:lk',
    inlinkBound: 'm:in',
    inlinksFolded: 'm:il',
    sitemap: 'm:sm',
    refusedBy: 'm:rf',
    metadata: 'm:md',
    contentLocation: 'm:co',
    contentVersions: 'm:cv',
    rank: 'm:rk',
    hostRank: 'm:rh',
    duplicateOf: 'm:du',
    duplicateAt: 'm:dt',
    relevant: 'm:fu',
    relevantBonus: 'm:fb',
    rejectedLinks: 'm:cl',
    bodyBytes: 'm:bb',
    fetchMs: 'm:fm',
    digest: 'm:dg',
    changedLinks: 'm:cg',
    logged: 'm:lo',
    textLocation: 'm:ta',
    title: 'p:ti',
    language: 'p:la',
    languageSource: 'p:ls',
    pageMetadata: 'p:me',
    custom: 'p:cu',
    outlinks: 't:o',
    text: 't:tx',
    textRanges: 't:tr',
    headings: 't:hd',
    headers: 't:he',
  });
  expect(INDEX_COLUMNS).toEqual({
    schemaVersion: 'v:n',
    slots: 'v:s',
    tableId: 'v:i',
    consumers: 'v:u',
    consumerRun: 'v:w',
    canonical: 'v:k',
    crawlScope: 'v:c',
    rankRun: 'v:r',
    changeState: 'v:g',
    lease: 'v:l',
    leaseHolder: 'v:h',
    workerReport: 'v:p',
    auditNote: 'v:a',
    auditIgnored: 'v:d',
    watchTarget: 'v:e',
    siteTemplate: 'v:m',
    frontierScore: 'f:s',
    batchHeader: 'b:h',
    batchEntry: 'b:e',
    changeEntry: 'b:c',
    hostRobots: 'h:rb',
    hostSeed: 'h:in',
    hostBackoff: 'h:bo',
    rulesVersion: 'r:v',
    lastRule: 'r:n',
    proposals: 'r:o',
    ruleHistory: 'r:h',
    wwwApplied: 'r:w',
    prefixPass: 'r:p',
    prefixFigures: 'r:s',
  });
  expect([INLINK_CELLS_PREFIX, RULE_COLUMN_PREFIX]).toEqual(['l:b:', 'r:d:']);
});

test('statuses and marks keep their names and codes', () => {
  expect(STATUS_CODES).toEqual({
    unfetched: 1,
    fetched: 2,
    gone: 3,
    redir_temp: 4,
    redir_perm: 5,
    retry: 34,
    notmodified: 38,
  });
  expect(MARK_COLUMNS).toEqual({
    inject: 'm:ki',
    generate: 'm:kg',
    fetch: 'm:kf',
    parse: 'm:kp',
    updatedb: 'm:ku',
    index: 'm:kx',
  });
});

test('codes of fetches and parses keep their names', () => {
  expect(Object.keys(PROTOCOL_CODES)).toEqual(
    words(`
    success notmodified moved temp_moved redirect_exceeded not_found gone unauthorized forbidden throttled
    unavailable challenge http_error robots_denied robots_on_other_worker crawl_delay_too_long private_address
    bad_port unsupported_scheme host_backoff proxy_refused proxy_failed dns_failed connect_failed tls_failed
    timeout too_slow connection_reset invalid_response headers_too_large unsupported_coding aborted network_error
  `),
  );
  expect(Object.keys(PARSE_CODES)).toEqual(
    words(`
    success unsupported_type missing_content truncated timeout parser_crashed out_of_memory encrypted malformed
    pdf_text_lost
  `),
  );
});

test('kinds of changes keep their names', () => {
  expect(CHANGE_KINDS).toEqual(
    words(`new gone back content title description redirect canonical noindex status links reordered bytes`),
  );
});

test('a cause of refusal names its rule', () => {
  expect(causeOfRule('r1', 'v')).toBe('rule-r1-v');
  expect(ruleOfCause('rule-r1-v')).toBe('r1');
});

test('numbers in facts of the audit keep their meaning', () => {
  expect(LINK_KINDS).toEqual(
    words(
      `a area iframe frame form cite refresh img source poster media track object script stylesheet icon manifest preload`,
    ),
  );
  expect(REL).toEqual({
    nofollow: 1,
    ugc: 2,
    sponsored: 4,
  });
  expect(MARKS).toEqual({
    app: 1,
    scripts: 2,
    wall: 4,
    truncated: 8,
    password: 16,
    sitemap: 32,
    alternates: 64,
    cutAlternates: 128,
  });
  expect(FLAWS).toEqual(['not a URL', 'two schemes', 'a misspelt scheme', 'no host name', 'a template left over']);
  expect(VERDICTS).toEqual(words('ok redirect broken failing blocked unchecked'));
});

test('a renamed name is no present name, so that a migration may run twice', () => {
  const present = new Set<string>([...Object.keys(PROTOCOL_CODES), ...CHANGE_KINDS, ...Object.keys(FIELD_COLUMNS)]);
  const renamed = { ...RENAMED_CODES, ...RENAMED_FIELDS };
  for (const name of Object.keys(renamed)) expect(present, name).not.toContain(name);
  for (const name of Object.keys(RENAMED_KINDS)) expect(CHANGE_KINDS, name).not.toContain(name);
});

// The type checker holds these.
test('fields of stored objects keep their names', () => {
  expectTypeOf<keyof ProtocolStatus>().toEqualTypeOf<
    'code' | 'http' | 'message' | 'lastModified' | 'etag' | 'truncated'
  >();
  expectTypeOf<keyof ParseStatus>().toEqualTypeOf<
    | 'code'
    | 'message'
    | 'noindex'
    | 'nofollow'
    | 'noarchive'
    | 'maxSnippet'
    | 'canonical'
    | 'charset'
    | 'publishedAt'
    | 'statedModifiedAt'
    | 'textLost'
    | 'textless'
  >();
  expectTypeOf<keyof Outlink>().toEqualTypeOf<
    'url' | 'anchor' | 'changeInterval' | 'lastModified' | 'priority' | 'sitemap'
  >();
  expectTypeOf<keyof BackoffRecord>().toEqualTypeOf<'failures' | 'since' | 'until' | 'code' | 'http' | 'message'>();
  expectTypeOf<SeedReach>().toEqualTypeOf<'public' | 'private' | 'undecided'>();
  expectTypeOf<keyof LoggedChange>().toEqualTypeOf<'kinds' | 'from' | 'to' | 'before' | 'after' | 'links'>();
  expectTypeOf<keyof ChangeSide>().toEqualTypeOf<
    'is' | 'http' | 'code' | 'title' | 'target' | 'length' | 'links' | 'externalLinks' | 'noindex' | 'bodyAt'
  >();
  expectTypeOf<ChangeSide['is']>().toEqualTypeOf<'page' | 'redirect' | 'failing'>();
  expectTypeOf<keyof LoggedHost>().toEqualTypeOf<'failing' | 'requested'>();
  expectTypeOf<RuleKind>().toEqualTypeOf<'relevant' | 'accept' | 'reject' | 'www'>();
  type AnyRuleField = 'id' | 'kind' | 'scope' | 'origin' | 'evidence' | 'createdAt' | 'changedAt' | 'state' | 'note';
  expectTypeOf<keyof UrlRule>().toEqualTypeOf<AnyRuleField | 'pattern'>();
  expectTypeOf<keyof WwwRule>().toEqualTypeOf<AnyRuleField | 'to'>();
  expectTypeOf<ProposalReason>().toEqualTypeOf<'useless_prefix' | 'facet' | 'session' | 'calendar' | 'www'>();
  type Message = 'cursor' | 'firstAttemptAt' | 'attempts' | 'why' | 'lostSince';
  expectTypeOf<keyof Waiting>().toEqualTypeOf<Message | 'dueAt'>();
  expectTypeOf<keyof DeadLetter>().toEqualTypeOf<Message | 'givenUpAt'>();
  expectTypeOf<keyof ChangeTarget>().toEqualTypeOf<
    | 'target'
    | 'kinds'
    | 'host'
    | 'addedAt'
    | 'cursor'
    | 'waiting'
    | 'notBefore'
    | 'failures'
    | 'delivered'
    | 'dead'
    | 'deadLetters'
    | 'endedAt'
  >();
});
