import { Worker } from 'node:worker_threads';
import { messageOf } from '../../errors/index.js';
import type { PdfAnswer, PdfJob } from './pdf-content.js';

/** Of the thread, without what its arrays hold. */
const LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };

/**
 * A thread that reads PDFs, one at a time; others wait. It is started with the first, kept for the next, and killed when
 * one takes longer than it may: nothing else ends code that does not yield. Idle, it does not keep the process running.
 */
export class PdfThread {
  readonly #entry: URL;
  readonly #seconds: number;
  #worker: Worker | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;

  /**
   * @param entry the module that the thread runs
   * @param seconds that one PDF may take, from when its turn has come
   */
  constructor(entry: URL, seconds: number) {
    this.#entry = entry;
    this.#seconds = seconds;
  }

  /** Reads one PDF. It rejects where the thread fails by something that is not the document's own fault, as far as known. */
  read(job: PdfJob): Promise<PdfAnswer> {
    const answer = this.#last.then(() => this.#run(job));
    this.#last = answer.catch(() => undefined);
    return answer;
  }

  /** Ends the thread; what it is at is rejected, and so is what comes later. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#worker?.terminate();
  }

  #run(job: PdfJob): Promise<PdfAnswer> {
    if (this.#closed) return Promise.reject(new Error('the parser is closed'));
    const worker = (this.#worker ??= this.#start());
    worker.ref();
    return new Promise((resolve, reject) => {
      const detach = (): void => {
        clearTimeout(timer);
        worker.off('message', settle).off('error', fail).off('exit', exit);
      };
      const settle = (answer: PdfAnswer): void => {
        detach();
        worker.unref();
        resolve(answer);
      };
      const end = (tell: () => void): void => {
        detach();
        if (this.#worker === worker) this.#worker = undefined;
        // The next one is not started beside it.
        void worker.terminate().then(tell);
      };
      const fail = (error: Error & { readonly code?: unknown }): void => {
        const isMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
        end(() => (isMemory ? resolve(failure('out_of_memory', messageOf(error))) : reject(error)));
      };
      const exit = (): void => fail(new Error('the thread of the parser ended'));
      const timer = setTimeout(
        () => end(() => resolve(failure('timeout', `not done after ${this.#seconds} seconds`))),
        this.#seconds * 1000,
      );
      worker.on('message', settle).on('error', fail).on('exit', exit);
      // A copy of its own, which is handed over. (`slice` of a Buffer is none.)
      const content = new Uint8Array(job.content);
      worker.postMessage({ ...job, content }, [content.buffer]);
    });
  }

  #start(): Worker {
    const worker = new Worker(this.#entry, { resourceLimits: LIMITS, env: {}, execArgv: [], argv: [] });
    // What goes wrong between two jobs ends the thread, and is nobody's failure.
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    return worker;
  }
}

function failure(code: string, message: string): PdfAnswer {
  return { failure: { code, message } };
}
