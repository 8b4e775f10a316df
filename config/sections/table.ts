import { z } from 'zod';
import { count, seconds, section } from './types.js';

export const generate = section({
  maxCount: count
    .min(-1)
    .default(-1)
    .describe('Maximum number of pages of one host, domain or IP in a batch. -1: no limit'),
  maxDistance: count
    .min(-1)
    .default(-1)
    .describe('Maximum number of links from a seed to a selected page. -1: no limit'),
  minScore: z.number().default(0).describe('Pages with a lower score are not selected'),
  restrictStatus: z
    .array(z.enum(['unfetched', 'fetched', 'gone', 'redir_temp', 'redir_perm', 'notmodified']))
    .default([])
    .describe('Only pages with these statuses are selected; `fetched` includes `notmodified`. Empty: all statuses'),
  lockExpirySeconds: seconds
    .default(604_800)
    .describe('Seconds after which a batch that updatedb never closed releases its pages'),
});

export const partition = section({
  urlMode: z
    .enum(['host', 'domain', 'ip'])
    .default('host')
    .describe('How pages are grouped for generate.maxCount, partitions and politeness'),
});

export const db = section({
  fetchIntervalDefault: seconds.default(2_592_000).describe('Seconds until a page is fetched again (30 days)'),
  fetchIntervalMax: seconds.default(7_776_000).describe('Longest interval in seconds (90 days)'),
  fetchRetryMax: count
    .min(0)
    .default(3)
    .describe('Number of failed fetches in a row after which a page counts as gone'),
  fetchSchedule: z.enum(['default', 'adaptive']).default('default').describe('How the next fetch is planned'),
  fetchScheduleAdaptiveIncRate: z
    .number()
    .min(0)
    .default(0.4)
    .describe('Adaptive: growth of the interval if the page has not changed'),
  fetchScheduleAdaptiveDecRate: z
    .number()
    .min(0)
    .max(1)
    .default(0.2)
    .describe('Adaptive: reduction of the interval if the page has changed'),
  fetchScheduleAdaptiveMinInterval: seconds.default(60).describe('Adaptive: shortest interval in seconds'),
  fetchScheduleAdaptiveMaxInterval: seconds.default(31_536_000).describe('Adaptive: longest interval in seconds'),
  fetchScheduleAdaptiveSyncDelta: z.boolean().default(true).describe('Adaptive: follow the time of the last change'),
  fetchScheduleAdaptiveSyncDeltaRate: z
    .number()
    .min(0)
    .max(1)
    .default(0.3)
    .describe('Adaptive: how closely to follow the time of the last change'),
  updateAdditionsAllowed: z.boolean().default(true).describe('Add pages that are found through links'),
  sitemapsFromRobots: z
    .boolean()
    .default(true)
    .describe(
      'Add the sitemaps that the robots.txt of a fetched host names; they are fetched once a day, and their content decides how they are read',
    ),
  updateMaxInlinks: count
    .min(0)
    .default(10_000)
    .describe(
      'Maximum number of inlinks kept per page, and counted per update; the best stay. Up to a quarter more may be kept before they are trimmed',
    ),
  updateMaxLinksInMemory: count
    .min(1000)
    .default(200_000)
    .describe(
      'Maximum number of links that updatedb keeps in memory at a time, and of keys of its own rows; a very long link counts for several',
    ),
  keepVersions: count
    .min(1)
    .max(100)
    .default(2)
    .describe(
      'Number of bodies to keep of a page, the newest ones; the next `webcrawl compact` removes the others. With 1, changes cannot show what changed',
    ),
  changesKeptDays: count
    .min(0)
    .default(90)
    .describe('Number of days to keep the change log, see `webcrawl changes`. 0: changes are not logged'),
  ignoreExternalLinks: z.boolean().default(false).describe('Drop links to another host (or domain)'),
  ignoreExternalLinksMode: z
    .enum(['host', 'domain'])
    .default('host')
    .describe('Whether another host or another domain counts as external'),
  maxOutlinksPerPage: count.min(-1).default(1000).describe('Maximum number of links kept per page. -1: no limit'),
  maxOutlinksPerSitemap: count
    .min(-1)
    .default(50_000)
    .describe('Maximum number of links kept per sitemap. -1: no limit'),
  maxOutlinkLength: count.min(1).default(4096).describe('Longer URLs are dropped'),
  maxAnchorLength: count.min(0).default(100).describe('Maximum number of characters kept of an anchor'),
  signature: z.enum(['sha1', 'textProfile']).default('sha1').describe('How a change of a page is detected'),
  signatureTextProfileMinTokenLen: count
    .min(0)
    .default(2)
    .describe('textProfile: only words with more characters count'),
  signatureTextProfileQuantRate: z.number().min(0).default(0.01).describe('textProfile: coarseness of frequencies'),
  scoreInjected: z.number().default(1).describe('Score of a seed without a score of its own'),
  scoreLinkInternal: z.number().min(0).default(1).describe('OPIC: factor for links within a host'),
  scoreLinkExternal: z.number().min(0).default(1).describe('OPIC: factor for links between hosts'),
  injectorOverwrite: z
    .boolean()
    .default(false)
    .describe('A known page that is injected gets the score, interval, metadata and due time of a new seed'),
  injectorUpdate: z
    .boolean()
    .default(false)
    .describe(
      'The metadata of the seed is added to a known page that is injected; score and interval are replaced if the seed has them',
    ),
});
