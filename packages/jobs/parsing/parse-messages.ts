import type { Settings } from '../../../config/index.js';
import type { PackedFields, StoredRules } from '../../../webtable/index.js';
import type { CompileTableRules, Plugin } from '../../plugin-api/index.js';
import type { CrawlScope, UrlPatterns } from '../scope/crawl-scope.js';
import type { Counts } from '../reporting/counters.js';
import type { PageContent, ParseResult } from './parse-page.js';

/** The data that a parse thread gets at its start. */
export interface ParseThreadData {
  /** The URL of a module with the exports of a {@link ParseThreadModule}: `pagePlugins`, `urlPatterns` and `compileTableRules`. */
  readonly module: string;
  /** The argument of `pagePlugins`; it must be plain data. */
  readonly input: unknown;
}

/** Creates the plugins of a thread that are needed to parse pages. */
export type MakePagePlugins = (input: unknown) => Promise<readonly Plugin[]>;

/** The functions that a thread needs from higher layers. The layer of this folder may not import them. */
export interface ParseThreadModule {
  readonly pagePlugins: MakePagePlugins;
  readonly urlPatterns: UrlPatterns;
  readonly compileTableRules: CompileTableRules;
}

/** The settings, scope and rules with which a page is parsed. All are plain data. If a part has not changed, it is the same object as before. */
export interface ParseTerms {
  readonly settings: Settings;
  readonly scope: CrawlScope;
  /** The rules of the table. The thread makes its last plugin from them. */
  readonly rules: StoredRules | undefined;
  /** The active plugins in order of call, as indexes into the thread's list of plugins. */
  readonly places: readonly number[];
  /** Whether the thread calls `onPage` of its plugins. If not, the main thread calls `onPage`. */
  readonly callsOnPage: boolean;
  /** The number of the crawl in threads that several crawls share. */
  readonly crawl?: number | undefined;
}

/** A message to a thread: a page to parse. */
export interface ParseTask {
  /** Absent: the crawl is closed, so the thread forgets its terms. */
  readonly page?: PageContent;
  readonly crawl?: number | undefined;
  /** The terms for this page and the following pages of the crawl. Absent: the terms of its previous page. */
  readonly terms?: ParseTerms;
  /** Memory for the cells of the result. Absent: the thread takes new memory. */
  readonly memory?: ArrayBuffer | undefined;
}

/** The first message of a thread. It is sent when the plugins of the thread are ready. */
export const READY = 'ready';

export interface ThreadResult {
  readonly result: ParseResult;
  readonly counters: Counts;
}

/** A message of a thread: the result for a page. The memory of its cells is transferred. */
export interface ParseReply extends Omit<ParseResult, 'encoded'> {
  readonly packed: PackedFields;
  readonly counters: Counts;
}
