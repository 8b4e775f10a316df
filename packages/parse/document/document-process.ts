import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createOneByOne, deadline } from '../../util/index.js';
import {
  failed,
  MAX_MEMORY,
  type DocumentAnswer,
  type DocumentJob,
  type DocumentMessage,
  type DocumentRequest,
} from './document-content.js';

/**
 * Maximum bytes of memory that the process may use after a document. If it uses more, it is killed, and another process reads the next
 * document.
 */
const KEPT_MEMORY = MAX_MEMORY / 2;

/**
 * Milliseconds in which the process must start, even on a busy machine. If it takes longer, the additional time counts for its first
 * document.
 */
const START_TIME = 60_000;

/** Limits of the heap. They are lower than the memory limit of the process, so that garbage is collected in time. */
const FLAGS = ['--max-old-space-size=256', '--max-semi-space-size=16'];

/**
 * A process that reads documents, one at a time. It starts with the first document, and stays for the next documents. It is killed if a
 * document takes more time or memory than allowed, because only a kill ends code that does not yield, and only a process has a limit for
 * all kinds of memory. An idle process does not keep the parent process running. It ends when the parent process ends, even if the parent
 * is killed.
 */
export class DocumentProcess {
  readonly #entry: URL;
  readonly #seconds: number;
  #child: ChildProcess | undefined;
  readonly #oneByOne = createOneByOne();
  #closed = false;
  /** Whether the process has reported that it is ready. If the process ends after this, the document is the cause. */
  #isReady = false;
  #ready: Promise<void> = Promise.resolve();

  /**
   * @param entry the module that the process runs
   * @param seconds maximum time for one document, from the moment when the process begins to read it
   */
  constructor(entry: URL, seconds: number) {
    this.#entry = entry;
    this.#seconds = seconds;
  }

  /** Reads one document. The promise rejects if the process cannot run, or is closed. */
  read(job: DocumentJob): Promise<DocumentAnswer> {
    return this.#oneByOne(() => this.#run(job));
  }

  /** Ends the process. The promise of the document that is being read rejects, and so do later calls of `read`. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#child) await ended(this.#child);
  }

  async #run(job: DocumentJob): Promise<DocumentAnswer> {
    if (this.#closed) throw new Error('the parser is closed');
    const child = (this.#child ??= this.#start());
    child.ref();
    child.channel?.ref();
    let detach = (): void => {};
    const answered = new Promise<Exclude<DocumentMessage, 'ready'>>((resolve, reject) => {
      const take = (message: DocumentMessage): void => {
        if (message !== 'ready') resolve(message);
      };
      const exit = (code: number | null, signal: string | null): void => {
        const how = `the process that reads documents ended with ${signal ?? code}`;
        if (this.#closed || !this.#isReady) reject(new Error(how));
        else resolve({ answer: failed('out_of_memory', how), memory: 0 });
      };
      child.on('message', take).on('error', reject).on('exit', exit);
      detach = () => child.off('message', take).off('error', reject).off('exit', exit);
    });
    // An error here means that the process has ended, or will end. This is handled at its exit.
    child.send({ ...job, parent: process.pid } satisfies DocumentRequest, () => undefined);
    const late = failed('timeout', `not done after ${this.#seconds} seconds`);
    try {
      await deadline(Promise.race([this.#ready, answered]), START_TIME, () => undefined);
      const { answer, memory } = await deadline(answered, this.#seconds * 1000, () => ({
        answer: late,
        memory: Infinity,
      }));
      // Waits for the end of the process, so that two processes never run at once.
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
    this.#ready = new Promise((resolve) => {
      child.once('message', () => {
        this.#isReady = true;
        resolve();
      });
    });
    // An error between two jobs fails no job: the process ends, and the next job starts another process.
    child.on('error', () => undefined);
    child.on('exit', () => {
      if (this.#child === child) this.#child = undefined;
    });
    return child;
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  // An idle child does not keep the parent running, but the parent must run until the child has ended.
  child.ref();
  child.kill('SIGKILL');
  await gone;
}
