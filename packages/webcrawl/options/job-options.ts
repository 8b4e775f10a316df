import type { AuditOptions } from '../../audit/index.js';
import type { ChangesOptions } from '../../changes/index.js';
import type { DedupOptions } from '../../duplicates/index.js';
import type {
  ExportArchiveOptions,
  ExportChunksOptions,
  ExportGraphOptions,
  ExportKrakeOptions,
  ExportPagesOptions,
} from '../../export/index.js';
import type { ApplyProposalsOptions, ProposeOptions } from '../../focus/index.js';
import type { RankOptions } from '../../graph/index.js';
import type { IndexOptions } from '../../index/index.js';
import type {
  BatchOptions,
  CrawlOptions,
  FetchOptions,
  GenerateOptions,
  InjectOptions,
  JobOptions,
  ParseOptions,
} from '../../jobs/index.js';
import type { ExplainOptions, PageQuery } from '../../answers/index.js';
import type { HostsOptions, PlanOptions } from '../../hosts/index.js';
import type { RemoveOptions } from '../../maintenance/index.js';
import type { SearchOptions } from '../../search/index.js';
import type { ServeOptions } from '../../serve/index.js';
import type { SendChangesOptions } from '../../watch/index.js';
import { CHANGE_KINDS, GRAPH_FORMATS, HOST_SORTS, LEVELS, PAGE_FORMATS } from '../names.js';
import { optionSchemas, optionsCheck } from '../../../config/index.js';
import type { OpenCrawlOptions } from '../open-context.js';
import type { BackupTableOptions } from '../tables/backup-table.js';
import type { CreateTableOptions } from '../tables/create-table.js';
import type { MigrateTableOptions } from '../tables/migrate-table.js';
import type { RepairFilesOptions } from '../tables/repair-files.js';
import { BATCH, EXPORT, EXPORTED_PAGES, JOB, SELECTION, SHARD, anyFields, dumpFields } from './shared-options.js';

const { anything, batch, moment, callback, count, flag, flagOrCallback, fromZero, lines, notNegative, number } =
  optionSchemas;
const { listOf, oneOf, patterns, positive, someOf, string, text } = optionSchemas;

const CRAWL_SCOPE = {
  depth: fromZero,
  stay: oneOf(['host', 'domain', 'path', 'any']).optional(),
  include: patterns,
  exclude: patterns,
};

/** The checks of the options of each function of the public API. Each throws CrawlError USAGE. */
export const checks = {
  openCrawl: optionsCheck<OpenCrawlOptions>('openCrawl', {
    table: anything,
    create: flag,
    alone: flag,
    serve: flag,
    yields: flag,
    name: text.optional(),
    waitSeconds: notNegative,
    onWait: callback,
    signal: JOB.signal,
    config: text.optional(),
    settings: anything,
    env: anything,
    plugins: anything,
    onPage: callback,
    clock: callback,
    random: callback,
    lookup: callback,
  }),
  inject: optionsCheck<InjectOptions>('crawl.inject', {
    ...JOB,
    seeds: lines,
    shard: SHARD.shard,
    sitemaps: lines.optional(),
    retryDenied: flagOrCallback,
    onRejected: callback,
  }),
  generate: optionsCheck<GenerateOptions>('crawl.generate', {
    ...JOB,
    ...SHARD,
    topN: count,
    addDays: notNegative,
    maxCount: number,
    filter: flag,
  }),
  fetch: optionsCheck<FetchOptions>('crawl.fetch', {
    ...BATCH,
    onPage: callback,
    onFetched: callback,
    parse: flag,
    threads: count,
  }),
  parse: optionsCheck<ParseOptions>('crawl.parse', { ...BATCH, onPage: callback, force: flag }),
  updatedb: optionsCheck<BatchOptions>('crawl.updatedb', BATCH),
  crawl: optionsCheck<CrawlOptions>('crawl.run', {
    ...JOB,
    seeds: lines,
    onPage: callback,
    onFetched: callback,
    onRejected: callback,
    retryDenied: flagOrCallback,
    rounds: count,
    topN: count,
    maxPages: count,
    maxSeconds: positive,
    ...CRAWL_SCOPE,
    refetch: flag,
    propose: count,
    onUpdated: callback,
    threads: count,
    shard: SHARD.shard,
    untilStopped: flag,
    onWait: callback,
  }),
  index: optionsCheck<IndexOptions>('crawl.index', { ...JOB, batch: batch.optional(), all: flag }),
  forgetIndex: optionsCheck<JobOptions>('crawl.forgetIndex', JOB),
  repair: optionsCheck<JobOptions>('crawl.repair', JOB),
  compact: optionsCheck<JobOptions>('crawl.compact', JOB),
  remove: optionsCheck<RemoveOptions>('crawl.remove', { ...JOB, ...SELECTION, dryRun: flag }),
  rank: optionsCheck<RankOptions>('crawl.rank', {
    ...JOB,
    level: oneOf(['page', 'host', 'both']).optional(),
    folder: text.optional(),
  }),
  dedup: optionsCheck<DedupOptions>('crawl.dedup', { ...JOB, exact: flag, yes: flag, onUnmarked: callback }),
  changes: optionsCheck<ChangesOptions>('crawl.changes', {
    since: moment,
    until: moment,
    kinds: someOf(oneOf(CHANGE_KINDS), 'kinds'),
    host: text.optional(),
    limit: count,
    cursor: text.optional(),
    diff: flag,
  }),
  sendChanges: optionsCheck<SendChangesOptions>('crawl.sendChanges', {
    to: text,
    secrets: listOf(text, 'secrets'),
    kinds: someOf(oneOf(CHANGE_KINDS), 'kinds'),
    host: text.optional(),
    since: moment,
    once: flag,
    allowPrivate: flag,
    signal: JOB.signal,
    onAttempt: callback,
  }),
  audit: optionsCheck<AuditOptions>('crawl.audit', {
    ...JOB,
    since: moment,
    ask: flag,
    external: flag,
    maxSeconds: positive,
    folder: text.optional(),
    memory: count,
  }),
  exportPages: optionsCheck<ExportPagesOptions>('crawl.export.pages', {
    ...EXPORT,
    ...EXPORTED_PAGES,
    format: oneOf(PAGE_FORMATS).optional(),
    fields: dumpFields.optional(),
    all: flag,
    each: anything,
    sort: string.optional(),
    type: someOf(text, 'types'),
  }),
  exportWarc: optionsCheck<ExportArchiveOptions>('crawl.export.warc', {
    ...EXPORT,
    ...EXPORTED_PAGES,
    fileBytes: positive,
  }),
  exportWacz: optionsCheck<ExportArchiveOptions>('crawl.export.wacz', {
    ...EXPORT,
    ...EXPORTED_PAGES,
    fileBytes: positive,
  }),
  exportKrake: optionsCheck<ExportKrakeOptions>('crawl.export.krake', { ...EXPORT, ...EXPORTED_PAGES }),
  exportChunks: optionsCheck<ExportChunksOptions>('crawl.export.chunks', {
    ...EXPORT,
    ...EXPORTED_PAGES,
    all: flag,
    maxWords: count,
  }),
  exportGraph: optionsCheck<ExportGraphOptions>('crawl.export.graph', {
    ...EXPORT,
    host: SELECTION.host,
    domain: SELECTION.domain,
    prefix: SELECTION.prefix,
    level: oneOf(LEVELS),
    format: oneOf(GRAPH_FORMATS).optional(),
    raw: flag,
  }),
  explain: optionsCheck<ExplainOptions>('crawl.explain', { robots: flag }),
  hosts: optionsCheck<HostsOptions>('crawl.hosts', {
    by: oneOf(['host', 'domain']).optional(),
    host: text.optional(),
    sort: oneOf(HOST_SORTS).optional(),
    top: count,
    onMore: callback,
    signal: JOB.signal,
  }),
  plan: optionsCheck<PlanOptions>('crawl.plan', { rounds: count, topN: count, top: count, signal: JOB.signal }),
  stats: optionsCheck<Pick<JobOptions, 'signal'>>('crawl.stats', { signal: JOB.signal }),
  search: optionsCheck<SearchOptions>('crawl.search', {
    page: anything,
    limit: anything,
    fold: flag,
    languages: listOf(text, 'languages').optional(),
    signal: JOB.signal,
  }),
  serve: optionsCheck<ServeOptions>('crawl.serve', {
    port: fromZero,
    address: text.optional(),
    names: listOf(text, 'names').optional(),
    changes: oneOf(['none', 'local', 'all']).optional(),
    site: anything,
    onError: callback,
  }),
  pages: optionsCheck<PageQuery & { readonly fields: readonly string[] }>('crawl.pages', {
    ...SELECTION,
    fields: anyFields,
    limit: anything,
    sort: string.optional(),
  }),
  applyRules: optionsCheck<JobOptions>('crawl.rules.apply', JOB),
  propose: optionsCheck<ProposeOptions>('crawl.rules.propose', {
    ...JOB,
    domain: text.optional(),
    apply: flag,
    folder: text.optional(),
    finders: anything,
  }),
  applyProposals: optionsCheck<ApplyProposalsOptions>('crawl.rules.applyProposals', {
    signal: JOB.signal,
    numbers: listOf(number, 'numbers').optional(),
    list: text.optional(),
    folder: text.optional(),
  }),
  backupTable: optionsCheck<BackupTableOptions>('backupTable', {
    table: string.optional(),
    to: text,
    waitSeconds: notNegative,
    onWait: callback,
    signal: JOB.signal,
    now: number,
  }),
  createTable: optionsCheck<CreateTableOptions>('createTable', {
    table: string,
    slots: anything,
    ifMissing: flag,
    splits: anything,
  }),
  migrateTable: optionsCheck<MigrateTableOptions>('migrateTable', {
    ...JOB,
    table: anything,
    waitSeconds: notNegative,
    onWait: callback,
  }),
  repairFiles: optionsCheck<RepairFilesOptions>('repairFiles', { table: string.optional(), dryRun: flag }),
} as const;
