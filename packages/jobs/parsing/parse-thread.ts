import { Worker, type ResourceLimits } from 'node:worker_threads';
import { messageOf } from '../../errors/index.js';
import { EncodedFields } from '../../../webtable/index.js';
import {
  READY,
  type ParseReply,
  type ParseTask,
  type ParseTerms,
  type ParseThreadData,
  type ThreadResult,
} from './parse-messages.js';
import type { PageContent } from './parse-page.js';

/** Why a thread has no result for a page. `no_thread`: the thread could not be started or was closed, so the page is not the cause. */
export interface ThreadFailure {
  readonly code: 'timeout' | 'parser_crashed' | 'no_thread';
  readonly message: string;
}

export interface WaitingPage {
  readonly terms: ParseTerms;
  readonly page: PageContent;
  readonly settle: (answer: ThreadResult | ThreadFailure) => void;
}

export interface ParseThreadOptions {
  /** The URL of the module that the thread runs. */
  readonly entry: URL;
  readonly data: ParseThreadData;
  /** Limits of the thread's heap. They do not include the memory of arrays. */
  readonly limits?: ResourceLimits;
  /** Maximum milliseconds until the thread is ready. */
  readonly startLimit: number;
  /** Milliseconds that are added to `parser.timeout`. Within this time, a parser that checks its own time can end by itself. */
  readonly grace: number;
  /** Milliseconds without a page after which the thread ends. */
  readonly idleLimit: number;
  /** Returns memory that the thread may use for the cells of a page, if there is some. */
  takeMemory(): ArrayBuffer | undefined;
}

interface ParseThreadEvents {
  /** Called when the thread has sent a result. */
  onAnswer(): void;
  /**
   * Called when the thread has ended. If a page was the cause, the page already has the failure as its result. `rest` has the other waiting
   * pages. Without a failure, the thread was idle.
   */
  onEnd(thread: ParseThread, failure: ThreadFailure | undefined, rest: readonly WaitingPage[]): void;
}

/** Minimum number of bytes that is counted for a page, because even the smallest page takes time. */
const LEAST_BYTES = 4_096;

/**
 * One parse thread with its line of waiting pages. If the first page in line takes too long, the thread is killed. Code that does not yield
 * cannot be stopped in another way. While the line is empty, the thread does not keep the process running.
 */
export class ParseThread {
  readonly #options: ParseThreadOptions;
  readonly #events: ParseThreadEvents;
  readonly #worker: Worker;
  readonly #line: WaitingPage[] = [];
  /** The last terms that were sent, by crawl. */
  readonly #sent = new Map<number | undefined, ParseTerms>();
  #timer: NodeJS.Timeout | undefined;
  #isReady = false;
  #hasEnded = false;
  #exitReason = 'the parse thread ended';

  constructor(options: ParseThreadOptions, events: ParseThreadEvents) {
    this.#options = options;
    this.#events = events;
    const { entry, data, limits } = options;
    this.#worker = new Worker(entry, { workerData: data, ...(limits && { resourceLimits: limits }) });
    this.#worker
      .on('message', (message: ParseReply | typeof READY) => this.#onMessage(message))
      .on('error', (error) => (this.#exitReason = messageOf(error)))
      .on('exit', () => this.#crash())
      .unref();
    this.#watch(options.startLimit, () => !this.#isReady, noThread('the parse thread does not start'));
  }

  get pages(): number {
    return this.#line.length;
  }

  /** Bytes of the pages in line. At least {@link LEAST_BYTES} are counted for each page. */
  get bytes(): number {
    let sum = 0;
    for (const { page } of this.#line) sum += Math.max(page.content?.length ?? 0, LEAST_BYTES);
    return sum;
  }

  give(waiting: WaitingPage): void {
    const { terms, page } = waiting;
    // The content is copied. It may be a small view of a large block of memory, and a message would copy the whole block.
    const content = page.content && new Uint8Array(page.content);
    const { crawl } = terms;
    const memory = this.#options.takeMemory();
    const task: ParseTask = {
      page: { ...page, content },
      crawl,
      memory,
      ...(!isSame(terms, this.#sent.get(crawl)) && { terms }),
    };
    try {
      this.#worker.postMessage(task, [...(content ? [content.buffer] : []), ...(memory ? [memory] : [])]);
    } catch (error) {
      // A protocol plugin in JavaScript may have returned data that cannot be sent to a thread.
      return waiting.settle({ code: 'parser_crashed', message: messageOf(error) });
    }
    this.#sent.set(crawl, terms);
    if (this.#line.push(waiting) > 1) return;
    this.#worker.ref();
    if (this.#isReady) this.#watchFirst();
  }

  /** Removes what the thread has stored for a crawl. */
  forget(crawl: number): void {
    if (this.#sent.delete(crawl)) this.#worker.postMessage({ crawl } satisfies ParseTask);
  }

  /** Ends the thread. The owner gets the waiting pages back through `onEnd`. */
  async close(): Promise<void> {
    this.#end({ code: 'no_thread', message: 'closed' });
    await this.#worker.terminate();
  }

  #onMessage(message: ParseReply | typeof READY): void {
    if (this.#hasEnded) return;
    clearTimeout(this.#timer);
    if (message === READY) this.#isReady = true;
    else this.#line.shift()?.settle(resultOf(message));
    if (this.#line.length > 0) {
      this.#watchFirst();
    } else {
      this.#worker.unref();
      this.#watch(this.#options.idleLimit, () => this.#line.length === 0, undefined);
    }
    if (message !== READY) this.#events.onAnswer();
  }

  #watchFirst(): void {
    const first = this.#line[0];
    const seconds = first?.terms.settings.parser.timeout ?? 0;
    const message = `not done after ${seconds} seconds`;
    this.#watch(seconds * 1000 + this.#options.grace, () => this.#line[0] === first, { code: 'timeout', message });
  }

  #watch(millis: number, isStill: () => boolean, failure: ThreadFailure | undefined): void {
    clearTimeout(this.#timer);
    const late = (): void => {
      if (this.#hasEnded || !isStill()) return;
      this.#end(failure);
      void this.#worker.terminate();
    };
    // If the main thread was busy for long, the result may have arrived but not been processed. So the timer waits for one more turn of the
    // event loop.
    this.#timer = setTimeout(() => setImmediate(late), millis).unref();
  }

  /**
   * Called when the thread has exited, because only then all its messages have been received. The report of an error may overtake earlier
   * messages.
   */
  #crash(): void {
    const message = this.#exitReason;
    this.#end(this.#isReady ? { code: 'parser_crashed', message } : noThread(message));
  }

  #end(failure: ThreadFailure | undefined): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    const line = this.#line.splice(0);
    if (failure && failure.code !== 'no_thread') line.shift()?.settle(failure);
    this.#events.onEnd(this, failure, line);
  }
}

function isSame(terms: ParseTerms, sent: ParseTerms | undefined): boolean {
  if (!sent || terms.settings !== sent.settings || terms.scope !== sent.scope || terms.rules !== sent.rules)
    return false;
  return terms.places === sent.places && terms.callsOnPage === sent.callsOnPage;
}

function noThread(message: string): ThreadFailure {
  return { code: 'no_thread', message };
}

/** Reads a result from a message. The cells of the result use the memory of the message. */
function resultOf({ packed, counters, ...others }: ParseReply): ThreadResult {
  return { result: { ...others, encoded: EncodedFields.unpack(packed) }, counters };
}
