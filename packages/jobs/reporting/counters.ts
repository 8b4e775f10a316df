import type { PluginErrorCode, ProtocolCode } from '../../plugin-api/index.js';

/**
 * What the jobs count, by job, with what each counter means. A counter that is not here does not compile;
 * docs/REFERENCE.md is written from here. `<plugin>` is the name of a plugin, `<code>` a code.
 */
export const COUNTERS = {
  inject: {
    injected: 'new pages',
    known: 'pages that were known, or were given twice, and keep their row',
    updated: 'known pages that were changed, because of `db.injectorOverwrite` or `db.injectorUpdate`',
    held: 'known pages that were not changed, because a batch holds them',
    denied_before: 'known pages that are due at once, although their last fetch was denied by 401, 403 or robots.txt',
    damaged: 'rows that cannot be read, and stay as they are',
    malformed: 'lines that are no seed',
    other_shards: 'seeds that are left to other shards',
    'rejected_<plugin>': 'seeds that a plugin rejects; `url`: that are no URL a table can hold',
    'plugin_error_<plugin>': 'errors of a plugin that is passed over: scoring, schedule',
  },
  generate: {
    generated: 'pages in the batch',
    batch_generated: 'the batch is generated already, or this shard of it',
    taken_back: 'pages that were selected and released again, by a generate that was stopped or killed',
    expired: 'pages released that batches older than `generate.lockExpiry` held',
    capped: 'queues that had more due pages than `generate.maxCount`',
    host_backoff: 'hosts passed over because they are left alone for now',
    status: 'pages passed over because of `generate.restrictStatus`',
    distance: 'pages passed over because of `generate.maxDistance`',
    low_score: 'pages passed over because of `generate.minScore`',
    excluded: 'pages passed over because the scope of the last crawl excludes them',
    'rejected_<plugin>': 'pages passed over because a URL filter rejects them by now',
    updating: 'pages passed over because updatedb has not come to the end of the batch that fetched them',
    damaged: 'rows that cannot be read',
    stale: 'entries of the frontier that were put right',
  },
  fetch: {
    fetched: 'pages with an outcome; each is counted by its protocol code too',
    lenient: 'answers that break HTTP, and that only the lenient reader took',
    seeds_denied: 'seeds that answered 401 or 403',
    already_fetched: 'pages that the batch has fetched before',
    damaged: 'rows that cannot be read',
    time_limit: 'batches of which pages are left because the time of `fetcher.timelimitMins` was over',
    given_up: 'pages whose request was ended because the run was to stop; they stay due',
    proxy: 'pages that could not be fetched because of the proxy; they stay due',
    released: 'pages that the batch did not hold any more when they were fetched, and that were not stored',
    robots_elsewhere:
      'pages left for the next pass over the batch, because another worker has to ask for the robots.txt of their host',
    rejected_rules: 'pages of the batch that a newer rule of the table refuses, and that were not asked for',
    host_backoff: 'pages left for a later batch because their host is left alone',
    backed_off: 'times that a host began to be left alone',
    tried_again: 'requests for a page again, because its host asked for a short wait',
    redirects_followed: 'targets of redirects that joined the batch',
    redirect_known: 'redirects to a page that is known and not due, or held by a batch',
    redirect_not_added: 'redirects to a new page, while `db.updateAdditionsAllowed` is off',
    redirect_invalid: 'redirects without a target that is a URL',
    redirect_to_itself: 'redirects of a page to itself',
    redirect_external: 'redirects that leave the site, while `db.ignoreExternalLinks` is on',
    redirect_excluded: 'redirects that the scope of the crawl excludes',
    'redirect_rejected_<plugin>': 'redirects to a URL that a plugin rejects',
    sitemaps_added: 'pages made for the sitemaps that a robots.txt names',
    sitemaps_known: 'sitemaps that are known',
    sitemaps_not_added: 'new sitemaps, while `db.updateAdditionsAllowed` is off',
    sitemaps_over_limit: 'lines of a robots.txt beyond the sitemaps that are taken of one',
    sitemaps_too_long: 'sitemaps with a URL longer than `db.maxOutlinkLength`',
    sitemaps_invalid: 'sitemaps whose URL is none',
    sitemaps_external: 'sitemaps that leave the site, while `db.ignoreExternalLinks` is on',
    sitemaps_excluded: 'sitemaps that the scope of the crawl excludes',
    'sitemaps_rejected_<plugin>': 'sitemaps with a URL that a plugin rejects',
    batches: 'batches worked on, with `--all`',
    batch_closed: 'the batch is closed, and nothing is left to do',
    batch_closing: 'batches that updatedb has begun on, with `--all`',
    batch_unfinished: 'the batch was left by a generate that was killed',
    'plugin_error_<plugin>': 'errors of a plugin',
  },
  parse: {
    parsed: 'pages that were parsed',
    parsed_in_part: 'of these, pages of which the rest was left out because a bound was reached',
    'failed_<code>': 'pages that were not parsed, by parse code',
    already_parsed: 'pages that the batch has parsed before',
    not_a_sitemap: 'pages named as sitemaps that are neither sitemap, feed nor list of URLs; parsed as any page',
    not_fetched: 'pages of the batch without a new body',
    released: 'pages that the batch did not hold any more when they were parsed, and of which nothing was stored',
    damaged: 'rows that cannot be read',
    links: 'links that were kept',
    links_too_long: 'links longer than `db.maxOutlinkLength`',
    links_over_limit: 'links of one page beyond `db.maxOutlinksPerPage` or `db.maxOutlinksPerSitemap`',
    links_external: 'links that leave the site, while `db.ignoreExternalLinks` is on',
    links_excluded: 'links that the scope of the crawl excludes',
    'links_rejected_<plugin>': 'links that a plugin rejects',
    redirect_external: 'refreshes that leave the site, while `db.ignoreExternalLinks` is on',
    redirect_excluded: 'refreshes that the scope of the crawl excludes',
    'redirect_rejected_<plugin>': 'refreshes to a URL that a plugin rejects',
    parsed_in_main_thread: 'pages whose parser was handed in as an object, which no thread has',
    'custom_over_limit_<plugin>':
      'fields of `onPage` that were left out, since those of a page may have 64 KiB together',
    parse_thread_failed: 'pages that were parsed in the main thread, because no other could be started',
    batches: 'batches worked on, with `--all`',
    batch_closed: 'the batch is closed, and nothing is left to do',
    batch_closing: 'batches that updatedb has begun on, with `--all`',
    batch_unfinished: 'the batch was left by a generate that was killed',
  },
  updatedb: {
    fetched: 'pages of the batch that were fetched',
    notmodified: 'pages that are as they were',
    redirected: 'pages that redirect',
    gone: 'pages that are gone',
    retry: 'pages that failed and are tried again',
    not_fetched: 'pages that were not fetched, and stay due',
    not_parsed:
      'of those fetched, pages that were not parsed: their links are not followed until they are fetched again',
    links: 'links that were added to the pages they lead to',
    added: 'new pages that links lead to',
    linked: 'known pages that links lead to',
    refused:
      'of the new pages, those that generate will not select as things are: too far from a seed, or of another status',
    sooner: 'of the known pages, those due sooner because a sitemap or feed says that they changed',
    not_added: 'new pages, while `db.updateAdditionsAllowed` is off',
    not_added_rules: 'new pages that a rule of the table refuses which is newer than the parse',
    damaged: 'rows that cannot be read',
    batches: 'batches worked on, with `--all`',
    batch_closed: 'the batch is closed, and nothing is left to do',
    batch_unfinished: 'the batch was left by a generate that was killed',
    'plugin_error_<plugin>': 'errors of a plugin that is passed over: scoring, schedule',
  },
  crawl: {
    rounds: 'batches that were selected',
    made_due: 'pages that `refetch` made due',
    time_limit: 'the time was over before all was done',
    'generate_<counter>': 'what the last generate passed over, by its counter',
    proposals: 'times that rules were proposed and added, with `propose`',
    'propose_<counter>': 'what became of proposals, by the counters of `rules propose`',
    'apply_<counter>': 'what `rules apply` did for a rule on `www` that had not been applied yet, by its counters',
    'compact_<counter>':
      'what `compact` did at the end, where more than half of the stored bodies, and 16 MB at least, was needed by nobody',
  },
  rounds: {
    rounds: 'batches that were brought to their end',
    passes: 'times that a step was run over the shards',
    restarts: 'workers that were started again, because they were killed or asked for it',
    'generate_<counter>':
      'what workers of generate counted, where their runner knows; those of fetch count by its own counters',
    'updatedb_<counter>': 'the same of updatedb',
    'index_<counter>': 'the same of index',
  },
  'rules apply': {
    rows: 'rows of the table',
    marked: 'rows that are worth having by now',
    unmarked: 'rows that are not worth having any more',
    rescored: 'rows whose score has changed by that',
    moved: 'pages that got a row under the URL that a `www` rule gives them',
    damaged: 'rows that cannot be read, and stay as they are',
  },
  'rules propose': {
    rows: 'rows that were read',
    domains: 'domains that were looked at',
    candidates: 'rules that may be worth having, before they are checked',
    proposed: 'rules that are proposed',
    applied: 'of these, rules that were added',
    cut: 'pages of these domains that they cut',
    rest: 'pages of these domains that are not useful, and that the rules of before take',
    known: 'candidates that a rule says already, or that were disabled',
    invalid: 'candidates that are no rule, such as a prefix that is too long',
    over_limit: 'candidates beyond 50 of one domain, or 1,000 in all',
    dropped_damaged: 'candidates of domains of which a row cannot be read',
    dropped_useful:
      'candidates that cut a useful page, a seed, what a rule made by hand accepts, or what a disabled rule was of',
    dropped_untried: 'candidates of which too few pages were read to know where the others lead',
    dropped_unreached: 'candidates that may cut the way to a useful page to which no seed leads',
    dropped_way: 'candidates that cut the only way to a useful page',
    dropped_idle: 'candidates that cut nothing beyond others',
    dropped_few: 'sections of domains with fewer useful pages that can be reached than `propose.minUseful`',
    dropped_share: 'candidates of domains of which they cut less than `propose.minShare`',
    stale: 'times that nothing was added, as the rules were changed while a crawl proposed',
    failed: 'times that a crawl could not propose, such as for want of room; it goes on without',
    damaged: 'rows that cannot be read',
  },
  'stats prefixes': {
    rows: 'rows that were counted',
    hosts: 'hosts that these are of; each scheme and port counts by itself',
    prefixes: 'prefixes and parameters that have figures of their own',
    parameters_over_limit:
      'query parameters of rows that were not counted, beyond 10,000 names of a host, or of over 100 characters',
    overtaken: 'the statistics were not stored, as those of a run that began later are there',
    damaged: 'rows of which something cannot be read; they are counted by the rest',
  },
  repair: {
    rows: 'rows of the table',
    stale_rules: 'rules whose counts were not those of the rows',
    missing_frontier: 'rows that the frontier did not lead to',
    missing_batch: 'rows that the index of their batch did not name',
    missing_header: 'batches whose header was lost',
    missing_seed_host: 'hosts that were not noted as injected',
    stale_frontier: 'entries of the frontier that no row bears out',
    stale_progress: 'batches that are closed or gone and of which it was noted how far their slots are',
    stale_batch: 'entries of batches that no row bears out',
    stale_seed_host: 'hosts noted as injected without such a page',
    missing_index: 'pages that the search index did not have',
    superfluous_index: 'documents of the search index that no page bears out',
    stale_index: 'documents of the search index that were not as their page is',
    lost_body: 'pages whose stored body cannot be read',
    lost_body_due: 'of these, pages that were made due',
    damaged: 'rows that cannot be read, and stay as they are',
  },
  compact: {
    rows: 'rows of the table',
    copied: 'bodies that were copied into new segments',
    lost_body: 'bodies that a row points at and that cannot be read',
    segments_removed: 'segments that were removed',
    bytes_freed: 'bytes that nobody needs any more, and that were removed',
  },
  graph: {
    nodes: 'nodes of the graph: pages, hosts or domains',
    edges: 'edges of the graph',
    scanned: 'rows that were read',
    links: 'links on these pages',
    gone: 'pages that are gone, which are no nodes',
    redirects: 'redirects that stand for their target, and are no nodes',
    redirects_lost: 'redirects to a page that is gone or not in the table, or that lead round in a circle',
    alternates: 'pages that stand for another one which was fetched, their canonical or where they refresh to',
    links_unknown: 'links to URLs that have no row',
    links_outside: 'links, redirects and canonicals that leave the selection',
    links_invalid: 'links that are no URL the table can hold',
    links_to_gone: 'links to pages that are gone, or redirect to none',
    links_of_gone: 'links on pages that are gone',
    links_of_redirects: 'links on pages that redirect',
    links_of_alternates: 'links on pages that stand for another one',
    links_to_itself: 'links of a page to itself',
    links_within_host: 'links between pages of one host, which are no edges between hosts',
    links_within_domain: 'links between pages of one domain, which are no edges between domains',
    links_repeated: 'links that are the same edge as another one',
    damaged: 'rows of which something cannot be read, which counts as absent',
  },
  rank: {
    pages: 'pages that have a rank',
    edges: 'links between them, each pair once',
    rounds: 'rounds until the ranks of pages changed by less than `rank.tolerance` in all',
    hosts: 'hosts that have a rank',
    host_edges: 'pairs of hosts of which one links to the other',
    host_rounds: 'the same rounds for hosts',
    not_converged: 'levels of which `rank.maxRounds` was over before that',
    warm: 'levels that began at the last ranks',
    written: 'rows whose ranks were written, because they changed',
    unranked: 'of these, rows whose rank was removed: they are gone, or stand for another page',
    scanned: 'rows of which the graph was made; of shards, by the one that computes',
    rows_read: 'rows that this shard has read',
    ranks_written: 'the run of this folder has come to its end before',
    links: 'links on these pages',
    gone: 'pages that are gone, which are no nodes',
    redirects: 'redirects that stand for their target, and are no nodes',
    redirects_lost: 'redirects to a page that is gone or not in the table, or that lead round in a circle',
    alternates: 'pages that stand for another one which was fetched, their canonical or where they refresh to',
    links_unknown: 'links to URLs that have no row',
    links_outside: 'links, redirects and canonicals that leave the selection',
    links_invalid: 'links that are no URL the table can hold',
    links_to_gone: 'links to pages that are gone, or redirect to none',
    links_of_gone: 'links on pages that are gone',
    links_of_redirects: 'links on pages that redirect',
    links_of_alternates: 'links on pages that stand for another one',
    links_to_itself: 'links of a page to itself',
    links_within_host: 'links between pages of one host, which are no edges between hosts',
    links_within_domain: 'links between pages of one domain, which are no edges between domains',
    links_repeated: 'links that are the same edge as another one',
    damaged: 'rows of which something cannot be read, which counts as absent',
  },
  remove: {
    removed: 'pages that were removed',
    would_remove: 'pages that would be removed, in a dry run',
    held: 'selected pages that stay, because a batch under way holds them',
    damaged: 'rows that cannot be read, and stay as they are',
  },
  index: {
    added: 'pages that are new in the index',
    changed: 'pages that are in the index as they are now, or have another rank or time of fetch there',
    removed: 'pages that are not in the index any more',
    unchanged: 'pages that are in the index as they are, where the whole table is compared with it',
    not_fetched: 'pages that are not in the index, as they were not fetched yet',
    held: 'pages that stay in the index as they are, as a batch that is not updated yet has fetched them anew',
    gone: 'pages that are not in the index, as they are gone',
    redirected: 'pages that are not in the index, as they redirect',
    noindex: 'pages that are not in the index, as they or their X-Robots-Tag say so; sitemaps are counted here too',
    duplicate: 'pages that are not in the index, as another one is kept in their place (`dedup`)',
    canonical: 'pages that are not in the index, as the page is there that they name as canonical',
    not_parsed: 'pages that are not in the index, as they were not parsed',
    empty: 'pages that are not in the index, as they have neither title nor text',
    'rejected_<plugin>': 'pages that are not in the index, as the `indexFilter` of a plugin refuses them or fails',
    'plugin_error_<plugin>': 'of these, pages for which it failed',
    batches: 'batches that were brought into the index',
    batch_unfinished: 'the batch that was named, which is not brought in before updatedb has closed it',
    damaged: 'rows that cannot be read, and stay in the index as they are',
  },
  dedup: {
    pages: 'fetched pages that were compared',
    exact: 'pages whose signature is that of a page that is kept in their place',
    near: 'pages whose text is nearly that of a page that is kept in their place',
    groups: 'pages that are kept and have duplicates',
    short: 'pages with fewer words than `dedup.minWords`, which only count by their signature',
    crowded: 'comparisons given up because too many simhashes are alike in some bits; near duplicates may be missed',
    written: 'rows of which `duplicateOf` was written',
    cleared: 'rows that are no duplicate any more, of which `duplicateOf` was removed',
    changed: 'rows that were fetched anew meanwhile, and are left to the next run',
    damaged: 'rows that cannot be read, and stay as they are',
  },
  export: {
    rows: 'rows of the export',
    parts: 'files of the export, its manifest left out',
    bytes: 'bytes of these files',
    kept_rows: 'of the rows, those that an earlier run had written which was ended before it was done',
    kept_parts: 'of the files, those that it had finished',
    kept_bytes: 'of the bytes, those that it had written',
    uploaded_bytes: 'bytes that this run has uploaded to a store of the kind of S3',
    damaged: 'rows that cannot be read in full; what can be read is exported',
    lost_body: 'pages whose stored body cannot be read; the rest of them is exported',
    chunks: 'chunks of Markdown that were made of the rows in this run',
    no_markdown: 'rows of which `chunks` has none: without a body, no HTML, or without content',
    formulas: 'cells of CSV that a spreadsheet may take for a formula, as they begin with `=`, `+`, `-`, `@` or a tab',
    selected: 'of an archive or `krake`: rows of the selection',
    pages: 'pages whose body is in it',
    responses: 'of an archive: records of answers with a body, and of pages that did not come by HTTP',
    revisits: 'of an archive: records of answers that nothing has changed (304)',
    metadata: 'of an archive: records with title, language and links of a page',
    no_body: 'of an archive or `krake`: pages that have no body, as they were not fetched, redirect or failed',
    lost_versions: 'of an archive: earlier bodies that cannot be read; the page is there without them',
    edges: 'of `krake`: links between its pages',
    no_node:
      'of `krake`: pages in the content file whose row was removed while the export ran, so that they have no offset',
  },
} as const satisfies Record<string, Record<string, string>>;

/** The name of a counter: one of {@link COUNTERS}, or a protocol code. */
export type CounterName =
  | {
      [Job in keyof typeof COUNTERS]: keyof (typeof COUNTERS)[Job] extends infer Name
        ? Name extends `${infer Head}<${string}>`
          ? Head extends ''
            ? never
            : `${Head}${string}`
          : Name
        : never;
    }[keyof typeof COUNTERS]
  | ProtocolCode
  | PluginErrorCode;

/** Of the counters of updatedb those that crawl reports too; the others would repeat what fetch and parse have counted. */
export const UPDATEDB_IN_CRAWL = [
  'added',
  'not_added',
  'not_added_rules',
  'refused',
  'sooner',
  'plugin_error_<plugin>',
] as const satisfies readonly (keyof (typeof COUNTERS)['updatedb'])[];

/** Adds to a counter; one where no number is given. */
export type Count = (name: CounterName, n?: number) => void;

/** Counters by name, as reports have them. */
export type Counts = Readonly<Record<string, number>>;

/** Counters that are all zero. */
export function createCounts() {
  const all: Record<string, number> = {};
  const add = (name: string, n: number): void => {
    if (n !== 0) all[name] = (all[name] ?? 0) + n;
  };
  return {
    /** Those that are not zero. */
    all: all as Counts,
    count: ((name, n = 1) => add(name, n)) as Count,
    /** Adds other counters, each with a prefix where one is given. */
    add(others: Counts, prefix = ''): void {
      for (const [name, n] of Object.entries(others)) add(prefix + name, n);
    },
  };
}

/** The sums of counters, in order of their names. */
export function addCounters(...all: readonly Counts[]): Counts {
  const sums = createCounts();
  for (const counters of all) sums.add(counters);
  return Object.fromEntries(Object.entries(sums.all).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Those of some counters that a list names. */
export function onlyThose(counters: Counts, names: readonly string[]): Counts {
  const isNamed = (name: string): boolean =>
    names.some((each) => (each.endsWith('>') ? name.startsWith(each.replace(/<.*/, '')) : each === name));
  return Object.fromEntries(Object.entries(counters).filter(([name]) => isNamed(name)));
}
