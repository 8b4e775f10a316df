import type { Settings } from '../../../config/index.js';
import type { PlainField, StoredRules } from '../../../webtable/index.js';
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
}

/** The first message of a thread. It is sent when the plugins of the thread are ready. */
export const READY = 'ready';

export interface ThreadResult {
  readonly result: ParseResult;
  readonly counters: Counts;
}

/** A message of a thread: the result for a page. The cells of all fields are in one buffer, which is transferred. */
export interface ParseReply extends Omit<ParseResult, 'encoded'> {
  readonly fields: readonly PlainField[];
  /** The end offset of each field's cell in `bytes`, in the order of `fields`. */
  readonly ends: readonly number[];
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly counters: ThreadResult['counters'];
}

/** Makes the message for a result. */
export function packResult({ result, counters }: ThreadResult): ParseReply {
  const { encoded, ...others } = result;
  const ends: number[] = [];
  let length = 0;
  for (const cell of encoded.values()) ends.push((length += cell.length));
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const cell of encoded.values()) {
    bytes.set(cell, at);
    at += cell.length;
  }
  return { ...others, fields: [...encoded.keys()], ends, bytes, counters };
}

/** Reads a result from a message. The cells of the result share the memory of the message. */
export function unpackResult({ fields, ends, bytes, counters, ...others }: ParseReply): ThreadResult {
  const encoded = new Map(fields.map((field, i) => [field, bytes.subarray(ends[i - 1] ?? 0, ends[i])] as const));
  return { result: { ...others, encoded }, counters };
}
