import { CrawlError, messageOf, type ErrorCode } from '../../../errors/index.js';
import type { CurrentIndex, IndexCore } from './index-core.js';

/** A question to the thread that reads: the name of a function, and what it takes. */
export type ReaderRequest = {
  readonly [Name in keyof IndexCore]: { readonly name: Name; readonly args: Parameters<IndexCore[Name]> };
}[keyof IndexCore];

/** Its answer. */
export type ReaderReply = { readonly value: unknown } | { readonly error: ReaderError };

/** An error as plain data. */
interface ReaderError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** Answers a question. It never rejects. */
export async function answer(index: CurrentIndex, { name, args }: ReaderRequest): Promise<ReaderReply> {
  try {
    const core = await index.get();
    return { value: (core[name] as (...all: readonly unknown[]) => unknown)(...args) };
  } catch (error) {
    if (error instanceof CrawlError) {
      const { code, message, hint } = error;
      return { error: { code, message, hint } };
    }
    const message = `expected the search index to answer, found: ${messageOf(error)}`;
    return { error: { code: 'NO_INDEX', message, hint: 'where it is damaged, webcrawl index --all makes it anew' } };
  }
}

/** The value of an answer. @throws CrawlError where it is an error */
export function valueOf(reply: ReaderReply): unknown {
  if ('value' in reply) return reply.value;
  const { code, message, hint } = reply.error;
  throw new CrawlError(code, message, hint === undefined ? {} : { hint });
}
