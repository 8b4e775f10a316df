import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createTracker,
  rowKeyOf,
  urlOf,
  rulesNow,
  CrawlError,
  type CrawlContext,
  type JobContext,
  type JobOptions,
  type Page,
  type Tracker,
} from '../core/index.js';
import { createKeyFile, withWorkFolder, type KeyFile } from '../scan/index.js';
import { defined } from '../util/index.js';
import { requestUrls } from './requests/request-urls.js';
import type { UncheckedLinks } from './requests/unchecked-links.js';
import { folderOf } from './requests/wanted.js';
import { createAlternatePairs } from './collect/alternate-pairs.js';
import { createFindings, findingOf, sourceOf, type FindingSorter } from './collect/findings.js';
import { createGroups } from './collect/groups.js';
import { createLinkKeys } from './collect/link-keys.js';
import { createLinkStore, type LinkStore } from './collect/link-store.js';
import { createRowTable } from './collect/row-table.js';
import { scanForAudit, type Scanned } from './collect/scan.js';
import { joinTargets } from './collect/targets.js';
import { completenessOf } from './completeness.js';
import { createFactsOf } from './facts/row-facts.js';
import { createIgnoring, type Ignoring } from './ignoring.js';
import { News, type JudgePage, type Newness } from './newness.js';
import type { AuditReport, AuditSummary } from './report.js';
import { AUDIT_FIELDS, type AuditedPage, type Found, type Group, type Rule, type Site, type Target } from './rule.js';
import { RULES, auditRules } from './rules/index.js';
import { noteNoReturn } from './rules/hreflang.js';
import { noteDenied, noteSoftNotFound, type ProbeNote } from './rules/indexing.js';
import { noteInsecure, noteUnverified, uncheckedFinding } from './rules/links.js';
import { noteTexts } from './rules/titles.js';

/** Options of {@link audit}. */
export interface AuditOptions extends JobOptions {
  /** Marks findings as new if their target failed, or their links were added, after this time: in ms since the epoch, or the name of a mark. */
  readonly since?: number | string;
  /**
   * First request URLs that pages name and the crawl has not requested: parts of pages, links that are not followed, pages that failed
   * once, and a random name in each folder with possible soft 404 pages. Default: false; the audit makes no requests.
   */
  readonly ask?: boolean;
  /** Also request links to other sites, and judge these links. A good response is valid for a week. Default: false. */
  readonly external?: boolean;
  /** Seconds for requests, above 0. After this time the other links are not checked, and the report says so. Default: no limit. */
  readonly maxSeconds?: number;
  /** Folder for sorting links, with some 200 bytes for each link. Default: the system's folder for temporary files. */
  readonly folder?: string;
  /** Bytes of memory for each sort at a time. Default: 16 MiB. */
  readonly memory?: number;
}

/** A report whose temporary files exist until it is closed. */
export interface OpenAuditReport extends AuditReport, AsyncDisposable {}

const MEMORY = 16 * 2 ** 20;
const LOOKED_AT = ['protocolStatus', 'inlinkCount'] as const satisfies (keyof Page)[];

type RulesOn<On extends Rule['on']> = readonly Extract<Rule, { readonly on: On }>[];
const PAGE_RULES = RULES.filter(({ on }) => on === 'page') as RulesOn<'page'>;
const TARGET_RULES = RULES.filter(({ on }) => on === 'target') as RulesOn<'target'>;
const GROUP_RULES = new Map(
  (RULES.filter(({ on }) => on === 'group') as RulesOn<'group'>).map((rule) => [rule.id, rule]),
);
const MALFORMED = TARGET_RULES.find(({ id }) => id === 'link-malformed')!;
const UNCHECKED = TARGET_RULES.find(({ id }) => id === 'link-unchecked')!;

/**
 * Finds faults in the pages of a table, by the rules of `auditRules`. It reads every row once, with the facts that were stored when pages
 * were parsed (`parser.audit`), else with the facts of their bodies. It sorts links by target on disk. It needs 40 bytes of memory for each
 * row, and four times `memory`.
 *
 * Close the report when its findings are read, or declare it with `await using`.
 * @throws CrawlError NO_FACTS when pages have neither facts nor bodies; STORE_FULL, BAD_OUTPUT when there is no disk space to sort
 */
export async function audit(crawl: JobContext, options: AuditOptions = {}): Promise<OpenAuditReport> {
  const { folder = tmpdir(), memory = MEMORY, external = false, signal } = options;
  const tracker = createTracker(crawl, 'audit', options);
  let close = (): void => {};
  const closing = new Promise<void>((resolve) => (close = resolve));
  return new Promise((give, fail) => {
    const whole = withWorkFolder(folder, async (work) => {
      await using keys = await createKeyFile(join(work, 'keys'));
      await using links = await createLinkStore(work, memory / 2);
      const keyOf = createLinkKeys(await rulesNow(crawl));
      const unchecked: UncheckedLinks[] = [];
      if (options.ask || external) {
        const input = { folder: work, memory, external, keyOf, signal, ...defined({ maxSeconds: options.maxSeconds }) };
        unchecked.push(...(await requestUrls(crawl, input, tracker)));
      }
      const made = await judge(crawl, options, { work, keys, links, keyOf, tracker, unchecked });
      give({
        ...made,
        async [Symbol.asyncDispose]() {
          close();
          await whole;
        },
      });
      await closing;
    });
    whole.catch(fail);
  });
}

interface Work {
  readonly work: string;
  readonly keys: KeyFile;
  readonly links: LinkStore;
  readonly keyOf: Site['keyOf'];
  readonly tracker: Tracker;
  readonly unchecked: readonly UncheckedLinks[];
}

async function judge(crawl: CrawlContext, options: AuditOptions, given: Work): Promise<AuditReport> {
  const { external = false, memory = MEMORY, signal } = options;
  const { work, keys, links, keyOf, tracker, unchecked } = given;
  const now = crawl.clock();
  const rows = createRowTable();
  const findings = createFindings(work, memory / 2);
  const groups = createGroups(work, memory / 2);
  const pairs = createAlternatePairs(work, memory);
  const ignoring = await createIgnoring(crawl, now);
  const probes = await readProbes(crawl);
  const site: Mutable<Site> = {
    rows,
    now,
    isComplete: false,
    isExternal: external,
    keyOf,
    urlOf: async (row) => urlOf(await keys.get(row)),
    look: (url) => crawl.tables.pages.get(rowKeyOf(url), LOOKED_AT),
    factsOf: createFactsOf(crawl),
    group: (rule, key, member) => groups.add(rule, key, member),
  };
  const judgePage: JudgePage = async (page, on, onFound) => {
    if (await noteSoftNotFound(page, on, probes.get(folderOf(page.url)))) return false;
    for (const rule of PAGE_RULES) for (const found of listOf(await rule.check(page, on))) await onFound(rule, found);
    await noteTexts(page, on);
    return true;
  };
  const rowOf = async (row: number) => crawl.tables.pages.get(await keys.get(row), AUDIT_FIELDS);
  const news =
    options.since === undefined
      ? undefined
      : await News.since(crawl, options.since, { rows, keyOf, site, judgePage, rowOf });
  const siteWith = (newnessOf: (rule: string, key: string) => Promise<Newness> | undefined): Site => ({
    ...site,
    async group(rule, key, member) {
      const isNew = await newnessOf(rule, key);
      await groups.add(rule, key, { ...member, ...(isNew && { isNew }) });
    },
  });
  const tell = createTelling({ keys, links, findings, ignoring });

  const scanned = await scanForAudit(crawl, {
    folder: work,
    memory,
    rows,
    keys,
    keyOf,
    onPage(page) {
      const on = siteWith((rule, key) => news?.ofMember(rule, key, page));
      return judgePage(page, on, async (rule, found) => tell(rule, found, page, await news?.ofPage(rule, found, page)));
    },
    onRow: () => tracker.done(),
    signal,
  });
  checkFacts(scanned);
  const claims = await completenessOf(crawl, scanned);
  site.isComplete = claims.isWhole;

  for await (const joined of joinTargets(scanned, { rows, links, pairs })) {
    signal?.throwIfAborted();
    if (joined.kind === 'bad_link') {
      const { text, sources } = joined;
      const found = { url: text.slice(text.indexOf(': ') + 2), message: `A link is written wrong (${text}).`, sources };
      await tell(MALFORMED, found, undefined, await news?.ofBadLink(text, sources));
      continue;
    }
    const { target } = joined;
    for (const rule of TARGET_RULES) {
      const found = rule.check(target, site);
      if (found === undefined) continue;
      for (const each of listOf(await found)) await tell(rule, each, target, await news?.ofTarget(each, target));
    }
    await noteInsecure(target, site);
    await noteDenied(target, site);
    await noteUnverified(target, site);
  }
  await links.end();
  await pairs.oneSided((from, to) =>
    noteNoReturn(
      from,
      to,
      siteWith(() => news?.ofPair(from, to)),
    ),
  );
  for await (const { rule, group } of groups.groups()) {
    const of = GROUP_RULES.get(rule)!;
    for (const found of listOf(await of.check(group, site))) {
      await tell(of, withNewMembers(found, group), group, news?.ofGroup(group));
    }
  }
  for (const each of unchecked) await tell(UNCHECKED, uncheckedFinding(each), undefined, undefined);

  const summary: AuditSummary = {
    version: 1,
    at: now,
    scope: scanned.hosts,
    ...(news && { since: news.since }),
    ...(tell.undecided > 0 && { undecided: tell.undecided }),
    complete: claims.because.length === 0,
    because: claims.because,
    pages: scanned.counts.pages,
    links: scanned.counts.links,
    counts: findings.counts,
    rules: auditRules(),
    ...(ignoring.count > 0 && { ignored: ignoring.count }),
    ...(ignoring.unused.length > 0 && { unusedIgnores: ignoring.unused }),
  };
  return {
    summary,
    findings: { [Symbol.asyncIterator]: () => findings.sorted() },
    async *sourcesOf(finding) {
      const kept = findings.keptOf(finding);
      if (kept === undefined) yield* finding.sources.shown;
      else for await (const link of links.read(kept)) yield await sourceOf(link.source, link, keys);
    },
  };
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function listOf(found: Found | readonly Found[] | undefined): readonly Found[] {
  if (found === undefined) return [];
  return Array.isArray(found) ? (found as readonly Found[]) : [found as Found];
}

/** Names the new members of a group whose other members are not new. */
function withNewMembers(found: Found, { fresh, total, newUrls }: Group): Found {
  return fresh > 0 && fresh < total ? { ...found, evidence: { ...found.evidence, new: newUrls } } : found;
}

interface Telling {
  readonly keys: KeyFile;
  readonly links: LinkStore;
  readonly findings: FindingSorter;
  readonly ignoring: Ignoring;
}

/** Makes a function that turns a result of a rule into a finding, and leaves ignored findings out. */
function createTelling({ keys, links, findings, ignoring }: Telling) {
  const tell = async (
    rule: Rule,
    found: Found,
    of: Target | AuditedPage | Group | undefined,
    isNew: Newness,
  ): Promise<void> => {
    const impact =
      found.impact ?? (of && 'facts' in of && !found.sources ? (of.row.rank ?? of.row.inlinkBound ?? 0) : undefined);
    const whole = {
      ...found,
      url: found.url ?? (of && 'url' in of ? of.url : ''),
      ...(impact !== undefined && { impact }),
    };
    if (ignoring.isIgnored(rule, whole.url, whole.sources)) return;
    if (isNew === 'unknown') tell.undecided += 1;
    const { sources } = whole;
    const kept = sources && sources.total > 0 ? links.keep(sources) : undefined;
    await findings.add(await findingOf(rule, whole, keys, isNew === 'unknown' ? undefined : isNew), kept);
  };
  /** Number of findings that may be new or not: an old version of their page is missing. */
  tell.undecided = 0;
  return tell;
}

function checkFacts({ counts: { pages }, gaps }: Scanned): void {
  const withoutFacts = gaps.count('withoutFacts');
  if (withoutFacts === 0 || withoutFacts < pages) return;
  throw new CrawlError('NO_FACTS', 'every page lacks both the facts of an audit and a stored body', {
    hint: 'crawl again with --set parser.audit=true --refetch',
  });
}

async function readProbes({ tables }: CrawlContext): Promise<ReadonlyMap<string, ProbeNote>> {
  const probes = new Map<string, ProbeNote>();
  for await (const [key, note] of tables.audits.notes('probe')) probes.set(key, note as ProbeNote);
  return probes;
}
