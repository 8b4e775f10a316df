import type { ResourceLimits } from 'node:worker_threads';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Settings } from '../../config/index.js';
import { createParseThreads, PARSE_THREAD_ENTRY, type ParseThreads } from '../jobs/index.js';
import type { Plugin } from '../plugin-api/index.js';
import { readRules } from './default-plugins.js';
import type { PagePluginInput } from './page-plugins.js';

/** More would wait for the main thread: fetching and storing a page takes it longer than a thread takes to parse one. */
const ENOUGH = 1;

/**
 * Threads that parse; each makes the plugins of the settings for itself. Undefined where `parser.threads` says none, or
 * the module that a thread runs is not there, as in a bundle.
 * @param plugins those that this thread made of the settings, in the order of `pagePlugins`
 */
export function parseThreadsOf(
  settings: Settings,
  plugins: readonly Plugin[],
  folder: string,
): ParseThreads | undefined {
  const { threads: wanted } = settings.parser;
  const threads = wanted === -1 ? Math.min(availableParallelism() - 1, ENOUGH) : wanted;
  if (threads < 1 || !existsSync(fileURLToPath(PARSE_THREAD_ENTRY))) return undefined;
  const input: PagePluginInput = { settings, rules: readRules(settings), folder };
  const module = new URL('page-plugins.js', import.meta.url).href;
  return createParseThreads({
    plugins,
    threads,
    entry: PARSE_THREAD_ENTRY,
    data: { module, input },
    limits: heapLimits(settings.http.contentLimit),
  });
}

/** The same on every version of Node; more saves little time. */
const YOUNG_MEGABYTES = 24;

/** A page of tags alone takes fifty times its size, and a sitemap may be unpacked to 50 MiB. */
function heapLimits(contentLimit: number): ResourceLimits {
  const mebibytes = contentLimit < 0 ? Infinity : contentLimit / 1_048_576;
  const maxOldGenerationSizeMb = Math.min(Math.max(512, Math.ceil(mebibytes * 64)), 4096);
  return { maxOldGenerationSizeMb, maxYoungGenerationSizeMb: YOUNG_MEGABYTES };
}
