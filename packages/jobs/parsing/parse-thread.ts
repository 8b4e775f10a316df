import { Worker, type ResourceLimits } from 'node:worker_threads';
import { messageOf } from '../../errors/index.js';
import {
  READY,
  unpackResult,
  type ParseReply,
  type ParseTask,
  type ParseTerms,
  type ParseThreadData,
  type ThreadDraft,
  type ThreadResult,
} from './parse-messages.js';
import type { PageContent } from './parse-page.js';
import type { ThreadShare } from './thread-share.js';

/** Why a thread has no result for a page. `no_thread`: it could not be started, which is not the page's fault. */
export interface ThreadFailure {
  readonly code: 'timeout' | 'parser_crashed' | 'no_thread';
  readonly message: string;
}

/** A page that waits for its result. */
export interface WaitingPage {
  readonly terms: ParseTerms;
  readonly page: PageContent;
  readonly share: ThreadShare;
  readonly settle: (answer: ThreadResult | ThreadDraft | ThreadFailure) => void;
}

/** How threads are started, and how long they may take. */
export interface ParseThreadOptions {
  /** The module that a thread runs. */
  readonly entry: URL;
  readonly data: ParseThreadData;
  /** Of its heap. What arrays hold comes on top. */
  readonly limits?: ResourceLimits;
  /** Milliseconds to start in. */
  readonly startLimit: number;
  /** Milliseconds beyond `parser.timeout`, in which a parser that looks at the time ends by itself. */
  readonly grace: number;
}

/** What a thread reports to its owner. */
export interface ParseThreadEvents {
  /** It has given an answer. */
  onAnswer(): void;
  /** It has ended, and was the first to settle the page that it ended on. The others in line are handed back. */
  onEnd(thread: ParseThread, failure: ThreadFailure, rest: readonly WaitingPage[]): void;
}

/** What the smallest page takes, in bytes of larger ones. */
const LEAST_BYTES = 4_096;

/**
 * One thread that parses, with its line of pages. It is killed when the first in line takes too long: nothing else ends
 * code that does not yield. Without pages it does not keep the process running.
 */
export class ParseThread {
  readonly #options: ParseThreadOptions;
  readonly #events: ParseThreadEvents;
  readonly #worker: Worker;
  readonly #line: WaitingPage[] = [];
  #sent: ParseTerms | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isReady = false;
  #hasEnded = false;
  #exitReason = 'the thread of the parser ended';

  constructor(options: ParseThreadOptions, events: ParseThreadEvents) {
    this.#options = options;
    this.#events = events;
    const { entry, data, limits } = options;
    this.#worker = new Worker(entry, { workerData: data, ...(limits && { resourceLimits: limits }) });
    this.#worker
      .on('message', (message: ParseReply | ThreadDraft | typeof READY) => this.#onMessage(message))
      .on('error', (error) => (this.#exitReason = messageOf(error)))
      .on('exit', () => this.#crash())
      .unref();
    this.#watch(options.startLimit, () => !this.#isReady, noThread('it does not start'));
  }

  /** Pages in line. */
  get pages(): number {
    return this.#line.length;
  }

  /** Bytes of the pages in line; each counts as {@link LEAST_BYTES} at least. */
  get bytes(): number {
    let sum = 0;
    for (const { page } of this.#line) sum += Math.max(page.content?.length ?? 0, LEAST_BYTES);
    return sum;
  }

  /** Puts a page in line. Its content is copied. */
  give(waiting: WaitingPage): void {
    const { terms, page, share } = waiting;
    // A Buffer may be a small part of a large piece of memory, all of which would be copied.
    const content = page.content && new Uint8Array(page.content);
    const task: ParseTask = { page: { ...page, content }, share, ...(!isSame(terms, this.#sent) && { terms }) };
    try {
      this.#worker.postMessage(task, content ? [content.buffer] : []);
    } catch (error) {
      // What a protocol of JavaScript returns need not be plain data.
      return waiting.settle({ code: 'parser_crashed', message: messageOf(error) });
    }
    this.#sent = terms;
    if (this.#line.push(waiting) > 1) return;
    this.#worker.ref();
    if (this.#isReady) this.#watchFirst();
  }

  /** Ends the thread. Its pages are handed back. */
  async close(): Promise<void> {
    this.#end({ code: 'no_thread', message: 'closed' });
    await this.#worker.terminate();
  }

  #onMessage(message: ParseReply | ThreadDraft | typeof READY): void {
    if (this.#hasEnded) return;
    clearTimeout(this.#timer);
    if (message === READY) this.#isReady = true;
    else this.#line.shift()?.settle('draft' in message ? message : unpackResult(message));
    if (this.#line.length > 0) this.#watchFirst();
    else this.#worker.unref();
    if (message !== READY) this.#events.onAnswer();
  }

  #watchFirst(): void {
    const first = this.#line[0];
    const seconds = first?.terms.settings.parser.timeout ?? 0;
    const message = `not done after ${seconds} seconds`;
    this.#watch(seconds * 1000 + this.#options.grace, () => this.#line[0] === first, { code: 'timeout', message });
  }

  #watch(millis: number, isStill: () => boolean, failure: ThreadFailure): void {
    const late = (): void => {
      if (this.#hasEnded || !isStill()) return;
      this.#end(failure);
      void this.#worker.terminate();
    };
    // Where the main thread was busy for long, the answer may be there and not be heard yet.
    this.#timer = setTimeout(() => setImmediate(late), millis).unref();
  }

  /** An error may overtake answers that were sent before it; by the exit of the thread all of them are heard. */
  #crash(): void {
    const message = this.#exitReason;
    this.#end(this.#isReady ? { code: 'parser_crashed', message } : noThread(message));
  }

  #end(failure: ThreadFailure): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    const line = this.#line.splice(0);
    if (failure.code !== 'no_thread') line.shift()?.settle(failure);
    this.#events.onEnd(this, failure, line);
  }
}

function isSame(terms: ParseTerms, sent: ParseTerms | undefined): boolean {
  return terms.settings === sent?.settings && terms.scope === sent.scope && terms.rules === sent.rules;
}

function noThread(message: string): ThreadFailure {
  return { code: 'no_thread', message };
}
