import type { ResourceLimits } from 'node:worker_threads';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Settings } from '../../../config/index.js';
import { PARSE_THREAD_ENTRY, shareParseThreads, type ParseThreads } from '../../jobs/index.js';
import type { Plugin } from '../../plugin-api/index.js';
import { readRules } from './default-plugins.js';
import type { PagePluginInput } from './page-plugins.js';

/**
 * Maximum number of threads. The main thread takes longer to fetch and store a page than a thread takes to parse it, so more threads
 * would only wait.
 */
const MAX_THREADS = 1;

/**
 * Returns the threads that parse pages. Each thread creates the plugins of the settings for itself. Crawls whose plugins have the same
 * settings share threads, and each has to close them. undefined: `parser.threads` is 0, or the module that a thread runs is missing, as in
 * a bundle.
 * @param plugins the plugins that this thread has created from the settings, in the order of `pagePlugins`
 */
export function parseThreadsOf(
  settings: Settings,
  plugins: readonly Plugin[],
  folder: string,
): ParseThreads | undefined {
  const { threads: wanted } = settings.parser;
  const threads = wanted === -1 ? Math.min(availableParallelism() - 1, MAX_THREADS) : wanted;
  if (threads < 1 || !existsSync(fileURLToPath(PARSE_THREAD_ENTRY))) return undefined;
  const { db, http, parser, plugins: modules, urlfilter } = settings;
  const input: PagePluginInput = {
    settings: { db, http, parser, plugins: modules, urlfilter },
    rules: readRules(settings),
    folder,
  };
  const module = new URL('page-plugins.js', import.meta.url).href;
  return shareParseThreads(plugins, {
    threads,
    entry: PARSE_THREAD_ENTRY,
    data: { module, input },
    limits: heapLimits(settings.http.contentLimit),
  });
}

/**
 * Maximum megabytes of young objects in a thread. It is fixed because the default differs between versions of Node. More memory saves
 * little time.
 */
const YOUNG_MEGABYTES = 24;

/**
 * Returns the memory limits of a thread. A page that consists of tags needs fifty times its size in memory, and a sitemap may have 50 MiB
 * after decompression.
 */
function heapLimits(contentLimit: number): ResourceLimits {
  const mebibytes = contentLimit < 0 ? Infinity : contentLimit / 1_048_576;
  const maxOldGenerationSizeMb = Math.min(Math.max(512, Math.ceil(mebibytes * 64)), 4096);
  return { maxOldGenerationSizeMb, maxYoungGenerationSizeMb: YOUNG_MEGABYTES };
}
