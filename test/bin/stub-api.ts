import { describeSettings, loadSettings } from '../../config/index.js';
import type { UnmarkedHost } from '../../packages/duplicates/index.js';
import { openOutput, type ExportPagesOptions } from '../../packages/export/index.js';
import type { SearchResult } from '../../packages/search/index.js';
import type { JobOptions, Report } from '../../packages/jobs/reporting/job.js';

/**
 * Records the calls of the command and holds the results of these calls. Replaces packages/webcrawl, so that no table is
 * opened.
 */
export const stub = {
  calls: [] as { name: string; options: Record<string, unknown> }[],
  closed: 0,
  seeds: [] as string[],
  retried: [] as string[],
  rows: [] as { key: string; [field: string]: unknown }[],
  report: {} as Partial<Report>,
  found: {} as Partial<SearchResult>,
  run: undefined as ((options: JobOptions & Seeds) => void | Promise<void>) | undefined,
  closeError: undefined as Error | undefined,
};

export function resetStub(): void {
  Object.assign(stub, {
    calls: [],
    closed: 0,
    seeds: [],
    retried: [],
    rows: [],
    report: {},
    found: {},
    run: undefined,
    closeError: undefined,
  });
}

type Seeds = {
  seeds?: AsyncIterable<string>;
  onRejected?: (line: number, text: string, reason: string) => void;
  retryDenied?: (line: number) => boolean;
  onUnmarked?: (host: UnmarkedHost) => void;
};

function job(name: string) {
  return async (_crawl: unknown, options: JobOptions & Seeds): Promise<Report> => {
    const {
      signal: _signal,
      onProgress: _onProgress,
      onUnmarked: _,
      seeds,
      onRejected,
      retryDenied,
      ...rest
    } = options;
    stub.calls.push({ name, options: rest });
    let line = 0;
    for await (const seed of seeds ?? []) {
      line += 1;
      stub.seeds.push(seed);
      if (retryDenied?.(line)) stub.retried.push(seed);
      if (seed.includes('wrong')) onRejected?.(line, seed, 'expected better');
    }
    await stub.run?.(options);
    const counters = seeds ? { injected: line } : {};
    return { job: name, seconds: 1.5, counters, ...stub.report };
  };
}

/** The module that replaces packages/webcrawl/index.ts. It has the same names. */
export const api = {
  openOutput,
  describeSettings,
  loadSettings,
  createTable: async (options: Record<string, unknown>) => {
    stub.calls.push({ name: 'createTable', options });
    return {
      created: ['default:x_webpage'],
      existing: [],
      added: [],
      shellLines: ["split 'default:x_frontier', '08'"],
      slots: 16,
    };
  },
  openContext: async (options: {
    config?: string;
    settings?: Record<string, unknown>;
    env?: Record<string, string>;
  }) => {
    stub.calls.push({ name: 'openContext', options });
    const given = { file: options.config, env: options.env ?? {}, overrides: options.settings ?? {} };
    const { settings } = loadSettings(given);
    const close = async () => {
      stub.closed++;
      if (stub.closeError) throw stub.closeError;
    };
    return {
      settings,
      close,
      [Symbol.asyncDispose]: close,
      async page(url: string, fields: readonly string[]) {
        stub.calls.push({ name: 'page', options: { url, fields } });
        return stub.rows[0];
      },
    };
  },
  MAX_HITS: 100,
  search: async (_crawl: unknown, query: string, { signal: _signal, ...options }: Record<string, unknown>) => {
    stub.calls.push({ name: 'search', options: { query, ...options } });
    return { total: 0, page: 1, pages: 0, hits: [], notices: [], seconds: 0.01, ...stub.found };
  },
  COMPUTED_FIELDS: { markdown: {} },
  CHUNK_WORDS: 500,
  exportChunks: job('exportChunks'),
  PAGE_FORMATS: ['jsonl', 'csv', 'parquet', 'hosts'],
  GRAPH_FORMATS: ['cc', 'dot', 'svg'],
  LEVELS: ['page', 'host', 'domain'],
  exportGraph: job('exportGraph'),
  exportKrake: job('exportKrake'),
  exportPages: async (crawl: unknown, { stdout, ...options }: ExportPagesOptions): Promise<Report> => {
    const report = await job('exportPages')(crawl, options);
    if (!stdout) return report;
    if (options.signal?.aborted) return { ...report, interrupted: true };
    for (const row of stub.rows) await stdout(Buffer.from(`${JSON.stringify(row)}\n`));
    return { ...report, counters: { rows: stub.rows.length, ...report.counters } };
  },
  exportWacz: job('exportWacz'),
  exportWarc: job('exportWarc'),
  jobs: Object.fromEntries(
    [
      'inject',
      'generate',
      'fetch',
      'parse',
      'updatedb',
      'crawl',
      'repair',
      'compact',
      'remove',
      'rank',
      'dedup',
      'index',
    ].map((name) => [name, job(name)]),
  ),
  stats: async () => ({
    total: 1234,
    statuses: { fetched: 1000, gone: 234 },
    retries: { 0: 1200, 2: 34 },
    score: { min: 0, avg: 0.5, max: 1 },
    damaged: 0,
    batches: [{ batchId: '17-ab', state: 'open', size: 5000 }],
  }),
  readByStoredSite: async () => undefined,
  pageDump: async (_settings: unknown, fields: readonly string[]) => ({ reads: fields, dump: (row: unknown) => row }),
  backupTable: async ({ signal: _signal, onWait: _onWait, ...options }: Record<string, unknown>) => {
    stub.calls.push({ name: 'backupTable', options });
    const counts = { files: 12, bytes: 30_000_000, sharedFiles: 7, sharedBytes: 20_000_000 };
    return { directory: '/backup/20261126T031200Z', ...counts };
  },
  repairFiles: async (options: { table: string; dryRun: boolean }) => {
    stub.calls.push({ name: 'repairFiles', options });
    return {
      directory: './data',
      copy: '/x/data/before-repair-1',
      bytes: 12_345_678,
      parts: [
        { name: 'content', found: 'there', step: 'keep' },
        { name: 'hot', found: 'hot/CURRENT is missing', step: 'rebuild' },
      ],
      done: !options.dryRun,
    };
  },
};
