import { Worker, type MessagePort, type ResourceLimits } from 'node:worker_threads';
import { CrawlError, messageOf, type ErrorCode } from '../errors/index.js';

/** What a thread can be asked for: functions that take and give plain data. */
type Calls = object;
type Name<C extends Calls> = keyof C & string;
type Args<C extends Calls, N extends Name<C>> = C[N] extends (...args: infer A) => unknown ? A : never;
type Result<C extends Calls, N extends Name<C>> = C[N] extends (...args: never) => infer R ? Awaited<R> : never;

/** A call as it crosses threads. */
export interface ThreadCall {
  readonly name: string;
  readonly args: readonly unknown[];
}

type ThreadReply =
  | { readonly value: unknown }
  | { readonly error: { readonly code: ErrorCode; readonly message: string; readonly hint?: string | undefined } };

/** A thread that is asked, and answers in turn. */
export interface ThreadClient<C extends Calls> {
  /** Starts the thread where none runs. Rejects with the CrawlError that the call ends with, or where its arguments cannot be cloned. */
  call<N extends Name<C>>(name: N, ...args: Args<C, N>): Promise<Result<C, N>>;
  /** Ends the thread; calls under way are rejected. The next call starts another one. */
  end(): Promise<void>;
}

/** How a thread is run. */
export interface ThreadOptions {
  /** The module that it runs, which calls {@link answerCalls}. */
  readonly entry: URL;
  readonly data: unknown;
  readonly resourceLimits?: ResourceLimits;
  /** Called each time that it has ended: the error of calls that were under way. */
  readonly ended: (reason: string) => CrawlError;
}

/** Makes the client of a thread, which holds up the end of the process only while it is asked. */
export function createThreadClient<C extends Calls>(options: ThreadOptions): ThreadClient<C> {
  const { entry, data, resourceLimits, ended } = options;
  type Waiting = { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void };
  let current: { readonly worker: Worker; readonly line: Waiting[] } | undefined;

  function start(): NonNullable<typeof current> {
    const worker = new Worker(entry, { workerData: data, ...(resourceLimits && { resourceLimits }) });
    const line: Waiting[] = [];
    const made = { worker, line };
    let reason = 'it ended';
    worker
      .on('message', (reply: ThreadReply) => {
        const first = line.shift();
        if (line.length === 0) worker.unref();
        if ('value' in reply) return first?.resolve(reply.value);
        const { code, message, hint } = reply.error;
        first?.reject(new CrawlError(code, message, hint === undefined ? {} : { hint }));
      })
      .on('error', (error) => (reason = messageOf(error)))
      .on('exit', () => {
        if (current === made) current = undefined;
        const error = ended(reason);
        for (const { reject } of line.splice(0)) reject(error);
      });
    return made;
  }

  return {
    call(name, ...args) {
      current ??= start();
      const { worker, line } = current;
      return new Promise((resolve, reject) => {
        // First: it throws for what cannot be cloned, and nobody would answer that.
        worker.postMessage({ name, args } satisfies ThreadCall);
        line.push({ resolve: resolve as (value: unknown) => void, reject });
        worker.ref();
      });
    },
    async end() {
      const last = current;
      current = undefined;
      await last?.worker.terminate();
    },
  };
}

/**
 * Answers the calls of a {@link ThreadClient} within its thread, one after the other.
 * @param calls what is called; where it rejects, that is the answer of the call
 */
export function answerCalls(port: MessagePort, calls: () => Promise<object>): void {
  let last: Promise<void> = Promise.resolve();
  port.on('message', ({ name, args }: ThreadCall) => {
    last = last.then(async () => port.postMessage(await replyTo(calls, name, args)));
  });
}

async function replyTo(calls: () => Promise<object>, name: string, args: readonly unknown[]): Promise<ThreadReply> {
  try {
    const all = (await calls()) as Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;
    return { value: await all[name]!(...args) };
  } catch (error) {
    if (!(error instanceof CrawlError)) return { error: { code: 'INTERNAL', message: messageOf(error) } };
    const { code, message, hint } = error;
    return { error: { code, message, hint } };
  }
}
