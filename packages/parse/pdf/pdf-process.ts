import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { deadline } from '../../util/index.js';
import { MAX_MEMORY, type PdfAnswer, type PdfJob, type PdfMessage, type PdfRequest } from './pdf-content.js';

/** What one that takes more than this holds after a document is not left to the next. */
const KEPT_MEMORY = MAX_MEMORY / 2;

/** Of the heap, so that garbage is collected before the process is ended for it. */
const FLAGS = ['--max-old-space-size=256', '--max-semi-space-size=16'];

/**
 * A process that reads PDFs, one at a time; others wait. It is started with the first, kept for the next, and killed when
 * one takes longer or more memory than it may: nothing else ends code that does not yield, and only a process has a bound for
 * all kinds of memory. Idle, it does not keep this process running, and it ends with it, however that ends.
 */
export class PdfProcess {
  readonly #entry: URL;
  readonly #seconds: number;
  #child: ChildProcess | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;
  /** The one that is there can read; what ends it then is a document. */
  #isReady = false;

  /**
   * @param entry the module that the process runs
   * @param seconds that one PDF may take, from when its turn has come
   */
  constructor(entry: URL, seconds: number) {
    this.#entry = entry;
    this.#seconds = seconds;
  }

  /** Reads one PDF. It rejects where the process cannot run, or is closed. */
  read(job: PdfJob): Promise<PdfAnswer> {
    const answer = this.#last.then(() => this.#run(job));
    this.#last = answer.catch(() => undefined);
    return answer;
  }

  /** Ends the process; what it is at is rejected, and so is what comes later. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#child) await ended(this.#child);
  }

  async #run(job: PdfJob): Promise<PdfAnswer> {
    if (this.#closed) throw new Error('the parser is closed');
    const child = (this.#child ??= this.#start());
    child.ref();
    child.channel?.ref();
    let detach = (): void => {};
    const answered = new Promise<Exclude<PdfMessage, 'ready'>>((resolve, reject) => {
      const take = (message: PdfMessage): void => {
        if (message !== 'ready') resolve(message);
      };
      const exit = (code: number | null, signal: string | null): void => {
        const how = `the process that reads PDFs ended with ${signal ?? code}`;
        if (this.#closed || !this.#isReady) reject(new Error(how));
        else resolve({ answer: failure('out_of_memory', how), memory: 0 });
      };
      child.on('message', take).on('error', reject).on('exit', exit);
      detach = () => child.off('message', take).off('error', reject).off('exit', exit);
    });
    // Where it cannot be sent, the process has ended, or will.
    child.send({ ...job, parent: process.pid } satisfies PdfRequest, () => undefined);
    const late = failure('timeout', `not done after ${this.#seconds} seconds`);
    try {
      const { answer, memory } = await deadline(answered, this.#seconds * 1000, () => ({
        answer: late,
        memory: Infinity,
      }));
      // The next one is not started beside it.
      if (memory > KEPT_MEMORY) await ended(child);
      child.unref();
      child.channel?.unref();
      return answer;
    } catch (error) {
      this.#child = undefined;
      throw error;
    } finally {
      detach();
    }
  }

  #start(): ChildProcess {
    this.#isReady = false;
    const child = fork(this.#entry, {
      execArgv: FLAGS,
      env: {},
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    child.once('message', () => (this.#isReady = true));
    // What goes wrong between two jobs ends the process, and is nobody's failure.
    child.on('error', () => undefined);
    child.on('exit', () => {
      if (this.#child === child) this.#child = undefined;
    });
    return child;
  }
}

/** Kills a process, and waits until it is gone. */
async function ended(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

function failure(code: string, message: string): PdfAnswer {
  return { failure: { code, message } };
}
