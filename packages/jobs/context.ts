import { CrawlError } from '../errors/index.js';
import type { Settings, SettingSource } from '../../config/index.js';
import type { Status, Tables } from '../../webtable/index.js';
import type { OnPage, Plugin, TableRules } from '../plugin-api/index.js';
import type { ParseThreads } from './parsing/parse-threads.js';
import type { Counts } from './reporting/counters.js';
import type { JobOptions, Report } from './reporting/job.js';
import type { RunningJobs, Watch } from './reporting/running-jobs.js';
import type { RequestsInUse } from './requests/requests-in-use.js';
import type { ScopeRules, UrlPatterns } from './scope/crawl-scope.js';
import type { JobSlots } from './shards/job-slots.js';

/** The context in which a job runs. Clock, randomness and DNS are passed in, so that tests can replace them. */
export interface CrawlContext {
  readonly tables: Tables;
  readonly settings: Settings;
  readonly plugins: readonly Plugin[];
  /** The rules of the table, which may change while a job runs. `rulesNow` reads them. */
  readonly rules: TableRules;
  /** Returns the milliseconds since the epoch. */
  readonly clock: () => number;
  /** Returns a random number from 0 on and below 1. */
  readonly random: () => number;
  /** Returns the addresses of a host, in any order. Rejects if the host has none. */
  readonly lookup: (host: string) => Promise<readonly string[]>;
  /** Compiles patterns into a function that searches them in URLs. Throws CrawlError USAGE for a wrong pattern. */
  readonly urlPatterns: UrlPatterns;
  /** The source of each setting, by the dotted key of the setting. Absent: the sources are unknown. */
  readonly settingSources?: Readonly<Record<string, SettingSource>>;
  /** The scope of the running crawl. Absent: the scope that the table stores applies, if there is one. */
  readonly scope?: ScopeRules;
  /** Threads that parse pages. Absent: the main thread parses them. */
  readonly parseThreads?: ParseThreads;
  /** The requests that run in this process, so that another job can use their queues. */
  readonly requestsInUse: RequestsInUse;
  /** The list of running jobs, for status queries. Absent: running jobs are not tracked. */
  readonly running?: RunningJobs;
  /** Receives the progress of this job. Absent: it is not reported. */
  readonly watch?: Watch;
  /** Called for each page that has an outcome. Absent: nothing is called. */
  readonly onFetched?: OnFetched;
  /** Proposes rules from the rows of the table and adds them, for a crawl with `propose`. Absent: a crawl cannot propose rules. */
  readonly proposeRules?: (options: Pick<JobOptions, 'signal'>) => Promise<Counts>;
  /** Applies new rules of the kind that must be applied before rows are selected. Absent: there are no such rules. */
  readonly applyRules?: (options: Pick<JobOptions, 'signal'>) => Promise<Report | undefined>;
  /** The folder of the search index. Absent if the table is not in a folder, and the settings do not name a folder for the index. */
  readonly indexFolder?: string;
  /** The slots of the running job. Absent: no job runs, or the job needs no slots. */
  readonly jobSlots?: JobSlots;
  /** Returns how often other processes have changed rows of the table. Absent: no other process can change the table. */
  readonly outsideChanges?: () => number;
}

/** A page with its stored outcome. Plain data that JSON can hold. URLs are ASCII, and untrusted. */
export interface PageOutcome {
  /** When the outcome was known, in ms since the epoch. */
  readonly time: number;
  readonly url: string;
  readonly status: Status;
  /** A code of `PROTOCOL_CODES`, or of a plugin's protocol. */
  readonly code: string;
  /** The HTTP status; absent if there was no answer. */
  readonly http?: number;
  /** Milliseconds from the request to the end of the body; absent if no request was sent, for example for `robots_denied`. */
  readonly ms?: number;
  /** Bytes of the stored body, after content coding is removed; absent if there is no body. */
  readonly bytes?: number;
  /** How the page was found. `redirect`: another page redirected to it. `seed`: inject added it. `link`: in any other way. */
  readonly from: 'seed' | 'redirect' | 'link';
  readonly batchId: string;
}

/** Called once for each page when its outcome is stored. After a kill, a page may be fetched again, and then it is reported again. */
export type OnFetched = (page: PageOutcome) => void;

/** An option of all jobs that fetch. */
export interface OnFetchedOption {
  /** Called for each page when its outcome is stored, for example to log the page. If the callback throws, the job ends. Stored data stays. */
  readonly onFetched?: OnFetched;
}

/** An option of all jobs that parse. */
export interface OnPageOption {
  /** Called for each parsed page, like `onPage` of a plugin with the name `on-page`. It is called after `onPage` of all plugins. */
  readonly onPage?: OnPage;
}

/** Returns a context with the hooks of a job: `onFetched`, and `onPage` as one more plugin. */
export function withHooks<C extends Pick<CrawlContext, 'plugins'>>(
  crawl: C,
  { onPage, onFetched }: OnPageOption & OnFetchedOption,
): C {
  return {
    ...crawl,
    ...(onPage && { plugins: [...crawl.plugins, { name: 'on-page', onPage }] }),
    ...(onFetched && { onFetched }),
  };
}

/** Returns the last plugin in the list that has a signature. The default plugins include such a plugin. */
export function signatureOf(crawl: Pick<CrawlContext, 'plugins'>): With<'signature'> {
  return lastWith(crawl, 'signature');
}

type With<K extends keyof Plugin> = Plugin & { readonly [P in K]-?: NonNullable<Plugin[P]> };

/**
 * Returns the last plugin in the list that has a member.
 * @throws CrawlError BAD_PLUGIN if no plugin has it
 */
export function lastWith<K extends 'schedule' | 'signature'>(crawl: Pick<CrawlContext, 'plugins'>, member: K): With<K> {
  for (let i = crawl.plugins.length - 1; i >= 0; i--) {
    const plugin = crawl.plugins[i]!;
    if (plugin[member] !== undefined) return plugin as With<K>;
  }
  throw new CrawlError('BAD_PLUGIN', `expected a plugin with a ${member}, found none in the list of plugins`, {
    hint: 'keep defaultPlugins in the list',
  });
}

/** The parts of a context that can be checked without a table. */
export type CheckContext = Pick<CrawlContext, 'settings' | 'plugins'>;
