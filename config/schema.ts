import { z } from 'zod';
import { scoring, propose, rank, dedup } from './sections/analysis.js';
import { http, fetcher } from './sections/fetching.js';
import { parser } from './sections/parsing.js';
import { index, search, serve } from './sections/searching.js';
import { generate, partition, db } from './sections/table.js';
import { urlnormalizer, urlfilter } from './sections/urls.js';

/**
 * Every setting with its type, its default, and a description, from which its documentation is generated. If Nutch has the setting, it has
 * the name of Nutch in camelCase. If a limit can be turned off, -1 means "no limit".
 */
export const settingsSchema = z.strictObject({
  http,
  fetcher,
  generate,
  partition,
  parser,
  db,
  scoring,
  propose,
  rank,
  dedup,
  index,
  search,
  serve,
  urlnormalizer,
  urlfilter,
  plugins: z
    .array(z.string().min(1))
    .default([])
    .meta({ path: true })
    .describe('Modules of additional plugins: package names, or paths relative to the settings file'),
});

/** All settings, checked, with defaults for those that were not set. */
export type Settings = z.infer<typeof settingsSchema>;
