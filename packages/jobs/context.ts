import { CrawlError } from '../errors/index.js';
import type { Settings, SettingSource } from '../../config/index.js';
import type { Tables } from '../../webtable/index.js';
import type { OnPage, Plugin } from '../plugin-api/index.js';
import type { LiveRules, RuleSet } from '../rules/index.js';
import type { ParseThreads } from './parsing/parse-threads.js';
import type { Counts } from './reporting/counters.js';
import type { JobOptions } from './reporting/job.js';
import type { RunningJobs, Watch } from './reporting/running-jobs.js';
import type { ScopeRules, UrlPatterns } from './scope/crawl-scope.js';
import type { OwnSlots } from './shards/own-slots.js';

/** What the jobs work on and with. Everything that is not pure is passed in here. */
export interface CrawlContext {
  readonly tables: Tables;
  readonly settings: Settings;
  readonly plugins: readonly Plugin[];
  /** The rules of the table, as they are now. Absent: none are asked. */
  readonly rules?: LiveRules;
  /** The rules that `plugins` holds, see `withRules`. Absent: it holds none. */
  readonly ruleSet?: RuleSet;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** A number from 0 to 1, 1 left out. */
  readonly random: () => number;
  /** The addresses of a host, in any order; rejects where there are none. */
  readonly lookup: (host: string) => Promise<readonly string[]>;
  /** Makes what looks for patterns in URLs; throws CrawlError USAGE for a pattern that is wrong. */
  readonly urlPatterns: UrlPatterns;
  /** For every dotted key of the settings, where its value came from. Absent: none was given. */
  readonly settingSources?: Readonly<Record<string, SettingSource>>;
  /** How far the crawl under way goes. Absent: as the scope says that is in the table, if there is one. */
  readonly scope?: ScopeRules;
  /** Where pages are parsed beside the main thread. Absent: they are parsed in it. */
  readonly parseThreads?: ParseThreads;
  /** The jobs under way, for whoever asks. Absent: nobody does. */
  readonly running?: RunningJobs;
  /** Takes how far this job has got. Absent: nobody asks. */
  readonly watch?: Watch;
  /** Proposes rules from what the table holds and adds them, for a crawl that is asked to. Absent: it cannot be. */
  readonly proposeRules?: (options: Pick<JobOptions, 'signal'>) => Promise<Counts>;
  /** The folder of the search index. Absent: there is none, as the table is in no folder and the settings name none. */
  readonly indexFolder?: string;
  /** The slots that the job under way works on. Absent: no job is, or one that takes none. */
  readonly own?: OwnSlots;
  /** How often other processes have changed rows of the table. Absent: they cannot. */
  readonly outsideChanges?: () => number;
}

/** What jobs that parse take besides. */
export interface OnPageOption {
  /** Called as that of a plugin named `on-page`, after those of all plugins. */
  readonly onPage?: OnPage;
}

/** A context with one more plugin, where `onPage` is given. */
export function withOnPage<C extends Pick<CrawlContext, 'plugins'>>(crawl: C, { onPage }: OnPageOption): C {
  return onPage ? { ...crawl, plugins: [...crawl.plugins, { name: 'on-page', onPage }] } : crawl;
}

/** The last plugin with a signature in the list; the default plugins hold one. */
export function signatureOf(crawl: Pick<CrawlContext, 'plugins'>): With<'signature'> {
  return lastWith(crawl, 'signature');
}

type With<K extends keyof Plugin> = Plugin & { readonly [P in K]-?: NonNullable<Plugin[P]> };

/**
 * The last plugin in the list that has a member.
 * @throws CrawlError BAD_PLUGIN when there is none
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
