import type { Settings } from '../../../config/index.js';
import type { PlainField, StoredRules } from '../../../webtable/index.js';
import type { Plugin } from '../../plugin-api/index.js';
import type { CrawlScope, UrlPatterns } from '../scope/crawl-scope.js';
import type { Counts } from '../reporting/counters.js';
import type { PageContent, ParseResult } from './parse-page.js';
import type { PageDraft } from './draft.js';
import type { ThreadShare } from './thread-share.js';

/** What a parse thread is started with. */
export interface ParseThreadData {
  /** URL of a module that exports `pagePlugins` and `urlPatterns`, a {@link ParseThreadModule}. */
  readonly module: string;
  /** What `pagePlugins` takes; it must be plain data. */
  readonly input: unknown;
}

/** Makes the plugins of a thread: those that parsing calls. */
export type MakePagePlugins = (input: unknown) => Promise<readonly Plugin[]>;

/** What a thread takes from above its layer. */
export interface ParseThreadModule {
  readonly pagePlugins: MakePagePlugins;
  readonly urlPatterns: UrlPatterns;
}

/** By what pages are parsed. Plain data; a part that has not changed is the same object. */
export interface ParseTerms {
  readonly settings: Settings;
  readonly scope: CrawlScope | undefined;
  /** The rules, of which the thread makes a plugin as its last. */
  readonly rules: StoredRules | undefined;
}

/** A page for a thread. */
export interface ParseTask {
  readonly page: PageContent;
  /** Those of this page and the ones that follow; absent: those of the page before. */
  readonly terms?: ParseTerms;
  readonly share: ThreadShare;
}

/** What a thread first says, once it has its plugins. */
export const READY = 'ready';

/** A parsed page with what was counted. */
export interface ThreadResult {
  readonly result: ParseResult;
  readonly counters: Counts;
}

/** A page of which the main thread does the rest, with what was counted. */
export interface ThreadDraft {
  readonly draft: PageDraft;
  readonly counters: ThreadResult['counters'];
}

/** A result as it crosses threads: all cells in one piece of memory, which is handed over. */
export interface ParseReply {
  readonly parsed: boolean;
  readonly unset: readonly PlainField[];
  readonly fields: readonly PlainField[];
  /** Where the cell of each field ends in `bytes`. */
  readonly ends: readonly number[];
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly counters: ThreadResult['counters'];
}

/** The message that carries a result. */
export function packResult({ result, counters }: ThreadResult): ParseReply {
  const { parsed, unset, encoded } = result;
  const ends: number[] = [];
  let length = 0;
  for (const cell of encoded.values()) ends.push((length += cell.length));
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const cell of encoded.values()) {
    bytes.set(cell, at);
    at += cell.length;
  }
  return { parsed, unset, fields: [...encoded.keys()], ends, bytes, counters };
}

/** The result that a message carries; its cells share the memory of the message. */
export function unpackResult({ parsed, unset, fields, ends, bytes, counters }: ParseReply): ThreadResult {
  const encoded = new Map(fields.map((field, i) => [field, bytes.subarray(ends[i - 1] ?? 0, ends[i])] as const));
  return { result: { parsed, unset, encoded }, counters };
}
