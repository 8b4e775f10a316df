import { z } from 'zod';
import { cookiesProblem, credentialsProblem, headersProblem, proxyProblem } from './http-checks.js';
import { indexUrlProblem } from './index-checks.js';

const count = z.number().int();
const bytes = count.min(-1);
const seconds = z.number().min(0);
/** Goes into a request header, where nothing else is allowed. */
const headerText = z.string().regex(/^[\t\x20-\x7e]*$/, 'printable ASCII');
/** A file; a relative path is resolved where it is written, see `loadSettings`. */
const path = z.string().meta({ path: true });

/** Refuses a value that `problem` finds something wrong with, in its words. */
function refusedBy<T extends z.ZodType>(schema: T, problem: (value: z.output<T>) => string | undefined): T {
  return schema.superRefine((value, context) => {
    const message = problem(value);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });
}

/** Counts more the greater it is. */
const weight = (value: number) => z.number().min(0).max(1000).default(value);

const textByName = z.record(z.string(), z.string());

/** A section that may be left out as a whole. */
function section<T extends z.ZodRawShape>(shape: T) {
  return z.strictObject(shape).prefault({} as z.input<z.ZodObject<T, z.core.$strict>>);
}

function isEncoding(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== '';
  } catch {
    return false;
  }
}

/**
 * Every setting: type, default and, as its description, its documentation. Names are Nutch's in camelCase where Nutch
 * has the setting. -1 means "no limit" wherever a limit allows it.
 */
export const settingsSchema = z.strictObject({
  http: section({
    agentName: z
      .string()
      .regex(/^[!#$%&'*+.^_`|~\w-]+$/, 'one word of letters, digits, - and _')
      .default('webcrawl')
      .describe('Name sent as User-Agent and looked up in robots.txt'),
    agentVersion: headerText.default('0.1').describe('Version sent after the name'),
    agentDescription: headerText.default('').describe('A word on the crawler, sent in the User-Agent comment'),
    agentUrl: headerText.default('').describe('A page about the crawler, sent in the User-Agent comment'),
    agentEmail: headerText.default('').describe('A contact, sent in the User-Agent comment'),
    robotsAgents: z
      .array(z.string())
      .default([])
      .describe('Further names looked up in robots.txt after http.agentName'),
    accept: headerText
      .default('text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8')
      .describe('The Accept header'),
    acceptLanguage: headerText.default('en;q=0.9,*;q=0.5').describe('The Accept-Language header'),
    timeout: count.min(1).default(10_000).describe('Milliseconds without a byte after which a request fails'),
    timeLimit: count.min(1).default(60_000).describe('Milliseconds that a whole request may take'),
    contentLimit: bytes
      .default(2_097_152)
      .describe(
        'Bytes of a body kept after decoding; the rest is cut. What was named as a sitemap may have 50 MiB all the same. -1: no limit',
      ),
    privateAddresses: z
      .enum(['seeds', 'allow', 'deny'])
      .default('seeds')
      .describe(
        'Addresses that are not public: only of hosts that were injected and private then, of any host, or of none',
      ),
    headerLimit: count.min(1024).default(65_536).describe('Bytes of response headers after which a request fails'),
    headers: refusedBy(textByName, headersProblem)
      .default({})
      .describe('Further headers, sent with every request to every server: `{"From": "me@example.com"}`'),
    credentials: refusedBy(textByName, credentialsProblem)
      .meta({ secret: true })
      .default({})
      .describe(
        'Basic authentication, `user:password` by origin: `{"https://example.com": "me:secret"}`. Goes to no other',
      ),
    cookies: refusedBy(textByName, cookiesProblem)
      .meta({ secret: true })
      .default({})
      .describe('Cookie headers by origin: `{"https://example.com": "session=1; lang=en"}`. Goes to no other'),
    proxy: refusedBy(z.string(), proxyProblem)
      .meta({ secret: true })
      .default('')
      .describe(
        'An http proxy for all requests: `http://user:password@proxy.example:3128`. Empty: none, whatever the environment says',
      ),
  }),
  fetcher: section({
    threadsFetch: count.min(1).default(50).describe('Requests in flight at the most, over all hosts'),
    threadsPerQueue: count.min(1).default(1).describe('Requests in flight per queue (host, domain or IP)'),
    serverDelay: seconds.default(1).describe('Seconds between two requests of one queue'),
    serverMinDelay: seconds.default(0).describe('The same where fetcher.threadsPerQueue is above 1'),
    maxCrawlDelay: seconds
      .or(z.literal(-1))
      .default(30)
      .describe('A page whose robots.txt asks for a longer Crawl-delay in seconds is not fetched. -1: any is honoured'),
    delayFactor: z
      .number()
      .min(0)
      .default(0)
      .describe(
        'The delay of a queue is at least so many times what its answers took lately, up to fetcher.maxCrawlDelay (30 s where that is -1). 0: off',
      ),
    backoffMin: seconds
      .default(10)
      .describe(
        'Seconds that a host is left alone after a 429, a 503, a failed connection or an unavailable robots.txt without Retry-After; twice as long with every failure in a row. Up to a quarter is added by chance',
      ),
    backoffMax: seconds.default(86_400).describe('The longest of these waits in seconds'),
    maxBackoffWait: seconds
      .default(60)
      .describe('A host that is to be left alone for more seconds is set aside: its pages stay due for a later batch'),
    maxRedirects: count
      .min(0)
      .default(5)
      .describe('Redirects followed within the batch; 0: targets wait for a later one'),
    timelimitMins: z
      .number()
      .min(-1)
      .max(35_000)
      .default(-1)
      .describe('Minutes from its start after which fetch, or crawl, asks for no further page. -1: no limit'),
    storeContent: z.boolean().default(true).describe('Keep bodies. Without them nothing can be parsed later'),
  }),
  generate: section({
    maxCount: count.min(-1).default(-1).describe('Pages of one host, domain or IP in a batch. -1: no limit'),
    maxDistance: count
      .min(-1)
      .default(-1)
      .describe('Links from a seed beyond which a page is not selected. -1: no limit'),
    minScore: z.number().default(0).describe('Pages with a lower score are not selected'),
    restrictStatus: z
      .array(z.enum(['unfetched', 'fetched', 'gone', 'redir_temp', 'redir_perm', 'notmodified']))
      .default([])
      .describe('Only pages of these statuses are selected. Empty: of any'),
    lockExpiry: seconds
      .default(604_800)
      .describe('Seconds after which the pages of a batch that was never updated are released'),
  }),
  partition: section({
    urlMode: z
      .enum(['host', 'domain', 'ip'])
      .default('host')
      .describe('What pages are grouped by for generate.maxCount, partitions and politeness'),
  }),
  parser: section({
    timeout: z.number().min(0.001).max(86_400).default(30).describe('Seconds that the parsing of one page may take'),
    threads: count
      .min(-1)
      .max(64)
      .default(-1)
      .describe(
        'Threads that parse pages, started when there is enough to parse; each loads the modules of `plugins` for itself. ' +
          '0: parse in the main thread. -1: one, where there is more than one processor',
      ),
    skipTruncated: z.boolean().default(false).describe('Do not parse bodies that were cut at http.contentLimit'),
    characterEncodingDefault: z
      .string()
      .refine(isEncoding, 'the name of an encoding, such as utf-8')
      .default('windows-1252')
      .describe('Encoding where neither byte order mark, header nor page names one and it is not UTF-8'),
    htmlFormUseAction: z.boolean().default(false).describe('Take the action of GET forms as a link'),
    htmlOutlinksIgnoreTags: z
      .array(z.string())
      .default(['img', 'script', 'link', 'source'])
      .describe('Elements whose URLs are no links'),
    textLimit: bytes.default(1_048_576).describe('Characters of text kept. -1: no limit'),
  }),
  db: section({
    fetchIntervalDefault: seconds.default(2_592_000).describe('Seconds until a page is fetched again (30 days)'),
    fetchIntervalMax: seconds.default(7_776_000).describe('Longest interval in seconds (90 days)'),
    fetchRetryMax: count.min(0).default(3).describe('Failed fetches after which a page counts as gone'),
    fetchSchedule: z.enum(['default', 'adaptive']).default('default').describe('How the next fetch is planned'),
    fetchScheduleAdaptiveIncRate: z
      .number()
      .min(0)
      .default(0.4)
      .describe('Adaptive: growth of the interval when unchanged'),
    fetchScheduleAdaptiveDecRate: z.number().min(0).max(1).default(0.2).describe('Adaptive: shrinking when changed'),
    fetchScheduleAdaptiveMinInterval: seconds.default(60).describe('Adaptive: shortest interval in seconds'),
    fetchScheduleAdaptiveMaxInterval: seconds.default(31_536_000).describe('Adaptive: longest interval in seconds'),
    fetchScheduleAdaptiveSyncDelta: z.boolean().default(true).describe('Adaptive: follow the time of modification'),
    fetchScheduleAdaptiveSyncDeltaRate: z.number().min(0).max(1).default(0.3).describe('Adaptive: how closely'),
    updateAdditionsAllowed: z.boolean().default(true).describe('Add pages found as links'),
    sitemapsFromRobots: z
      .boolean()
      .default(true)
      .describe(
        'Add the sitemaps that the robots.txt of a fetched host names; they are fetched once a day, and read by their content',
      ),
    updateMaxInlinks: count
      .min(0)
      .default(10_000)
      .describe(
        'Inlinks kept per page, and counted per update; the best stay. A quarter more may be kept before they are trimmed',
      ),
    updateMaxLinksInMemory: count
      .min(1000)
      .default(200_000)
      .describe(
        'Links that updatedb holds in memory at a time, and as many keys of its own rows; very long ones count for several',
      ),
    keepVersions: count
      .min(1)
      .max(100)
      .default(1)
      .describe('Bodies of a page that are kept, the newest first; the others go with the next `webcrawl compact`'),
    ignoreExternalLinks: z.boolean().default(false).describe('Drop links that lead to another host (or domain)'),
    ignoreExternalLinksMode: z.enum(['host', 'domain']).default('host').describe('What counts as external'),
    maxOutlinksPerPage: count.min(-1).default(1000).describe('Links kept per page. -1: no limit'),
    maxOutlinksPerSitemap: count.min(-1).default(50_000).describe('Links kept per sitemap. -1: no limit'),
    maxOutlinkLength: count.min(1).default(4096).describe('Longer URLs are dropped'),
    maxAnchorLength: count.min(0).default(100).describe('Characters of an anchor kept'),
    signature: z.enum(['md5', 'textProfile']).default('md5').describe('What says that a page has changed'),
    signatureTextProfileMinTokenLen: count.min(0).default(2).describe('textProfile: only longer words count'),
    signatureTextProfileQuantRate: z.number().min(0).default(0.01).describe('textProfile: coarseness of frequencies'),
    scoreInjected: z.number().default(1).describe('Score of a seed that states none'),
    scoreLinkInternal: z.number().min(0).default(1).describe('OPIC: factor for links within a host'),
    scoreLinkExternal: z.number().min(0).default(1).describe('OPIC: factor for links between hosts'),
    injectorOverwrite: z
      .boolean()
      .default(false)
      .describe('A seed that is known already gets score, interval, metadata and due time anew'),
    injectorUpdate: z
      .boolean()
      .default(false)
      .describe('A seed that is known already has its metadata merged, and takes a score or interval that is given'),
  }),
  scoring: section({
    fit: section({
      score: z
        .number()
        .default(10)
        .describe('Added to the score of a page when it enters the table and a rule of kind useful matches its URL'),
      other: z.number().default(0).describe('Added to the score of any other page, where there is such a rule'),
      explore: z
        .number()
        .min(0)
        .max(1)
        .default(0.03)
        .describe(
          'Where there is such a rule: of pages that are not useful and not fetched yet, this share has `scoring.fit.score` too for each useful page, but the first, that pages with such URLs led to first; the fewer, the more the useful pages of the host lead to others. 0: none has',
        ),
    }),
  }),
  propose: section({
    minUseful: count
      .min(1)
      .default(30)
      .describe(
        'Rules that are proposed: a domain has so many useful pages at least before a section of it without any is proposed; the section has more pages than that. A section of more than 30 pages, of which one in ten were useful, would show none in 4 cases of 100',
      ),
    minShare: z
      .number()
      .min(0)
      .max(1)
      .default(0.05)
      .describe(
        'Rules that are proposed: the share of the pages of a domain that are not useful which they cut at least',
      ),
  }),
  rank: section({
    damping: z
      .number()
      .min(0)
      .lt(1)
      .default(0.85)
      .describe('PageRank: the share of its rank that a page hands on by its links'),
    tolerance: z
      .number()
      .min(0)
      .default(1e-9)
      .describe('PageRank: it ends when all ranks together, which are 1, change by less in a round'),
    maxRounds: count.min(1).default(200).describe('PageRank: rounds at the most'),
    internalLinkWeight: z
      .number()
      .min(0)
      .default(1)
      .describe('PageRank of pages: what a link within a host counts, where one to another host counts 1'),
    danglingMass: z
      .enum(['spread', 'drop'])
      .default('spread')
      .describe('PageRank: what pages without links hand on is spread over all pages alike, or dropped'),
  }),
  dedup: section({
    distance: count
      .min(0)
      .max(10)
      .default(7)
      .describe('Bits of 64 in which the simhashes of near duplicates differ at the most. 0: only the same ones'),
    minWords: count
      .min(0)
      .default(100)
      .describe(
        'Words (of Chinese, Japanese, Thai and the like, characters) that a page must have to count as a near duplicate',
      ),
  }),
  index: section({
    path: path
      .default('')
      .describe(
        'Folder of the search index, which can be made anew from the table. Empty: index, in the folder of the table',
      ),
    writer: z
      .enum(['sqlite', 'jsonl', 'opensearch'])
      .default('sqlite')
      .describe(
        'What the index is: an SQLite file, which the search page reads; JSON Lines for other programs; an index of OpenSearch at `index.url`',
      ),
    url: refusedBy(z.string(), indexUrlProblem)
      .meta({ secret: true })
      .default('http://localhost:9200/webcrawl')
      .describe(
        'The index of OpenSearch, by its name: `https://user:password@search.example:9200/pages`. It is made when it is missing',
      ),
  }),
  search: section({
    weightTitle: weight(16).describe('What a word in the title counts, where one in the text counts 1'),
    weightHeadings: weight(4).describe('What a word in a heading counts'),
    weightAnchors: weight(3).describe('What a word in the text of a link to the page counts'),
    weightUrl: weight(2).describe('What a word in the URL counts'),
    weightText: weight(1).describe('What a word in the text counts'),
    weightRank: weight(0.5).describe(
      'What PageRank counts beside the words, times ln(1 + rank in relation to the mean)',
    ),
    weightLanguage: weight(2).describe(
      'What a page in a language that is written as the query is counts beside the words',
    ),
    commonWords: z
      .number()
      .min(0)
      .max(1)
      .default(0.5)
      .describe('A word that a greater part of all pages holds is left out of a query that has another. 1: none is'),
  }),
  urlnormalizer: section({
    regexFile: path.default('').describe('File of regex normaliser rules. Empty: config/regex-normalize.txt'),
  }),
  urlfilter: section({
    regexFile: path.default('').describe('File of +/- regex rules. Empty: config/regex-urlfilter.txt'),
    prefixFile: path.default('').describe('File of accepted URL prefixes, one a line. Empty: not used'),
    suffixFile: path.default('').describe('File of URL suffixes. Empty: not used'),
    domainFile: path.default('').describe('File of accepted suffixes, domains or hosts. Empty: not used'),
    trapMaxLength: count.min(-1).default(2000).describe('Characters of a URL. -1: no limit'),
    trapMaxRepeats: count
      .min(-1)
      .refine((value) => value !== 0, 'a whole number of at least 1, or -1')
      .default(2)
      .describe('Times that a path segment or run of segments may repeat. -1: no limit'),
    trapMaxParameters: count.min(-1).default(20).describe('Query parameters of a URL. -1: no limit'),
    trapMaxDepth: count.min(-1).default(30).describe('Path segments of a URL. -1: no limit'),
  }),
  plugins: z
    .array(z.string().min(1))
    .default([])
    .meta({ path: true })
    .describe('Modules of further plugins: package names, or paths relative to the settings file'),
});

/** All settings, checked, with defaults filled in. */
export type Settings = z.infer<typeof settingsSchema>;
