import { CrawlError } from '../errors/index.js';
import type { Settings, SettingSource } from '../../config/index.js';
import type { Status, Tables } from '../../webtable/index.js';
import type { OnPage, Plugin, TableRules } from '../plugin-api/index.js';
import type { ParseThreads } from './parsing/parse-threads.js';
import type { RunningJobs, Watch } from './reporting/running-jobs.js';
import type { RequestsInUse } from './requests/requests-in-use.js';
import type { ScopeRules, UrlPatterns } from './scope/crawl-scope.js';
import type { JobSlots } from './shards/job-slots.js';

/**
 * An open crawl: its table, its settings and plugins, and what comes from outside. It is made once, by `openContext`, and never changes.
 * Clock, randomness and DNS are passed in, so that tests can replace them.
 */
export interface CrawlContext {
  readonly tables: Tables;
  readonly settings: Settings;
  /** The source of each setting, by the dotted key of the setting. */
  readonly settingSources: Readonly<Record<string, SettingSource>>;
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
  /** Threads that parse pages. undefined: the main thread parses them. */
  readonly parseThreads: ParseThreads | undefined;
  /** The requests that run in this process, so that another job can use their queues. */
  readonly requestsInUse: RequestsInUse;
  /** The jobs that run in this process. */
  readonly running: RunningJobs;
  /** The folder of the search index. undefined if the table is not in a folder, and the settings do not name a folder for the index. */
  readonly indexFolder: string | undefined;
  /** Returns how often other processes have changed rows of the table. */
  readonly outsideChanges: () => number;
}

/** Shows the progress nowhere. */
export const NO_WATCH: Watch = () => {};

/** What a job is given: the open crawl, and where the job shows its progress. {@link jobContext} makes it. */
export interface JobContext extends CrawlContext {
  readonly watch: Watch;
}

/** @param watch receives the progress of the job. Absent: the job is a part of another job, which shows the progress of both. */
export function jobContext(crawl: CrawlContext, watch: Watch = NO_WATCH): JobContext {
  return { ...crawl, watch };
}

/**
 * A crawl within its scope, as `inScope`, `withScope` and `withoutScope` make it: `settings` have the limits of the scope, and `plugins` the
 * `onPage` of the job. It lacks what a scope is made from, so nothing can be limited twice.
 */
export interface ScopedCrawl extends Omit<CrawlContext, 'settingSources' | 'running' | 'indexFolder'> {
  /** The limits of the crawl. If seeds redirect to other sites while a job runs, these sites are added. */
  readonly scope: ScopeRules;
}

/** The run of a job: the crawl within its scope, and the slots that the job holds. {@link jobRun} makes it. */
export interface JobRun extends ScopedCrawl {
  readonly jobSlots: JobSlots;
  readonly watch: Watch;
}

/** @param watch receives the progress of the run. Absent: the run is a part of a crawl, which shows the progress of all its parts. */
export function jobRun(crawl: ScopedCrawl, jobSlots: JobSlots, watch: Watch = NO_WATCH): JobRun {
  return { ...crawl, jobSlots, watch };
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
  const found = crawl.plugins.findLast((plugin) => plugin[member] !== undefined);
  if (found) return found as With<K>;
  throw new CrawlError('BAD_PLUGIN', `expected a plugin with a ${member}, found none in the list of plugins`, {
    hint: 'keep defaultPlugins in the list',
  });
}

/** The parts of a context that can be checked without a table. */
export type CheckContext = Pick<CrawlContext, 'settings' | 'plugins'>;
