import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { CrawlError, messageOf } from '../../../errors/index.js';
import type { IndexReader } from '../../reader.js';
import { createCurrentIndex, type IndexCore, type IndexPlace } from './index-core.js';
import { answer, valueOf, type ReaderReply, type ReaderRequest } from './reader-messages.js';

/** How an index is read. */
export interface ReaderOptions extends IndexPlace {
  /** Questions that may wait at a time; more are refused. Default: 100. */
  readonly mostWaiting?: number;
  /** Milliseconds from a question to its answer. Default: 10,000. */
  readonly timeLimit?: number;
  /** The module that the thread runs; undefined: questions are answered in this one. Default: the one beside this. */
  readonly entry?: URL | undefined;
}

const ENTRY = new URL('./reader-worker.js', import.meta.url);

interface Waiting {
  readonly request: ReaderRequest;
  readonly settle: (reply: ReaderReply) => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * Opens an index for reading, in a thread of its own, so that a long question holds up no other work: questions wait in
 * line there. Where the module of the thread is not there, as in a bundle, they are answered in this thread. Whether
 * there is an index is found at the first question. All reject with CrawlError NO_INDEX where there is no index or one
 * that cannot be used, WRONG_INDEX where it is that of another table, SEARCH_BUSY where too many wait or the time is over, and CLOSED behind `close`.
 */
export function openIndexReader(options: ReaderOptions): IndexReader {
  const { folder, words, table, mostWaiting = 100, timeLimit = 10_000 } = options;
  const place: IndexPlace = { folder, words, table };
  const entry = 'entry' in options ? options.entry : existsSync(fileURLToPath(ENTRY)) ? ENTRY : undefined;
  const line: Waiting[] = [];
  const engine = entry ? threadEngine(entry, place) : localEngine(place);
  let isClosed = false;
  let isBusy = false;

  async function serve(): Promise<void> {
    if (isBusy) return;
    isBusy = true;
    while (line.length > 0) {
      const first = line[0]!;
      const reply = await engine.ask(first.request);
      if (line[0] === first) line.shift();
      first.settle(reply);
    }
    isBusy = false;
  }

  /** What runs too long is ended with its thread: nothing else ends a question that SQLite is at. */
  function late(waiting: Waiting): void {
    const isFirst = line[0] === waiting;
    if (!isFirst) line.splice(line.indexOf(waiting), 1);
    const message = `expected an answer of the search index within ${timeLimit / 1000} s, found none`;
    waiting.settle({ error: { code: 'SEARCH_BUSY', message, hint: 'use fewer or rarer words, or ask again later' } });
    if (isFirst) engine.restart();
  }

  async function ask<Name extends keyof IndexCore>(
    name: Name,
    ...args: Parameters<IndexCore[Name]>
  ): Promise<ReturnType<IndexCore[Name]>> {
    if (isClosed) throw new CrawlError('CLOSED', 'expected an open search index, found one that was closed');
    if (line.length >= mostWaiting) {
      throw new CrawlError(
        'SEARCH_BUSY',
        `expected at most ${mostWaiting} questions to the search index at a time, found more`,
        {
          hint: 'ask again later',
        },
      );
    }
    const reply = await new Promise<ReaderReply>((resolve) => {
      const waiting: Waiting = {
        request: { name, args } as ReaderRequest,
        settle(answered) {
          clearTimeout(waiting.timer);
          resolve(answered);
        },
        timer: setTimeout(() => late(waiting), timeLimit),
      };
      line.push(waiting);
      void serve();
    });
    return valueOf(reply) as ReturnType<IndexCore[Name]>;
  }

  return {
    info: () => ask('info'),
    search: (query) => ask('search', query),
    documentCounts: (terms) => ask('documentCounts', terms),
    similar: (term) => ask('similar', term),
    async close() {
      isClosed = true;
      for (const { settle } of line.splice(0))
        settle({ error: { code: 'CLOSED', message: 'the search index was closed' } });
      await engine.close();
    },
  };
}

/** Answers one question at a time. */
interface Engine {
  ask(request: ReaderRequest): Promise<ReaderReply>;
  /** Ends the question under way, whose answer nobody waits for. */
  restart(): void;
  close(): Promise<void>;
}

function localEngine(place: IndexPlace): Engine {
  const index = createCurrentIndex(place);
  return {
    ask: (request) => answer(index, request),
    restart() {},
    async close() {
      index.close();
    },
  };
}

function threadEngine(entry: URL, place: IndexPlace): Engine {
  let worker: Worker | undefined;
  let settle: ((reply: ReaderReply) => void) | undefined;

  function start(): Worker {
    const made = new Worker(entry, { workerData: place, resourceLimits: { maxOldGenerationSizeMb: 512 } });
    let reason = 'it ended';
    const end = (reply: ReaderReply): void => {
      if (worker !== made) return;
      settle?.(reply);
      settle = undefined;
    };
    made
      .on('message', (reply: ReaderReply) => end(reply))
      .on('error', (error) => (reason = messageOf(error)))
      .on('exit', () => {
        end({
          error: {
            code: 'SEARCH_BUSY',
            message: `the thread that reads the search index ended: ${reason}`,
            hint: 'ask again',
          },
        });
        if (worker === made) worker = undefined;
      });
    return made;
  }

  return {
    ask: (request) =>
      new Promise((resolve) => {
        worker ??= start();
        settle = (reply) => {
          worker?.unref();
          resolve(reply);
        };
        worker.ref();
        worker.postMessage(request);
      }),
    restart() {
      const late = worker;
      worker = undefined;
      settle?.({ error: { code: 'SEARCH_BUSY', message: 'ended' } });
      settle = undefined;
      void late?.terminate();
    },
    async close() {
      const last = worker;
      worker = undefined;
      await last?.terminate();
    },
  };
}
