import { Worker, type MessagePort, type ResourceLimits } from 'node:worker_threads';
import { CrawlError, messageOf, type ErrorCode } from '../../errors/index.js';
import { createOneByOne } from '../../util/index.js';

/** The functions of a thread. Their arguments and results are plain data. */
type Calls = object;
type Name<C extends Calls> = keyof C & string;
type Args<C extends Calls, N extends Name<C>> = C[N] extends (...args: infer A) => unknown ? A : never;
type Result<C extends Calls, N extends Name<C>> = C[N] extends (...args: never) => infer R ? Awaited<R> : never;

interface ThreadCall {
  readonly name: string;
  readonly args: readonly unknown[];
}

type ThreadReply =
  | { readonly value: unknown }
  | { readonly error: { readonly code: ErrorCode; readonly message: string; readonly hint?: string | undefined } };

interface ThreadOptions {
  readonly entry: URL;
  readonly data: unknown;
  readonly resourceLimits?: ResourceLimits;
  readonly ended: (reason: string) => CrawlError;
}

/** Makes the client of a thread, which answers calls in order. The thread keeps the process alive only during calls. */
export function createThreadClient<C extends Calls>(options: ThreadOptions) {
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
    /**
     * Calls a function in the thread. The thread is started if it does not run. Rejects with the CrawlError of the function, or if the
     * arguments cannot be cloned.
     */
    call<N extends Name<C>>(name: N, ...args: Args<C, N>): Promise<Result<C, N>> {
      current ??= start();
      const { worker, line } = current;
      return new Promise((resolve, reject) => {
        // The call is sent before it is stored, because sending throws for data that cannot be cloned. Such a call would never get an answer.
        worker.postMessage({ name, args } satisfies ThreadCall);
        line.push({ resolve: resolve as (value: unknown) => void, reject });
        worker.ref();
      });
    },
    /** Ends the thread, and rejects running calls. The next call starts another thread. */
    async end(): Promise<void> {
      const last = current;
      current = undefined;
      await last?.worker.terminate();
    },
  };
}

/**
 * Answers the calls of a client within its thread, one after the other.
 * @param calls resolves to the functions to call; if it rejects, the call is answered with this error
 */
export function answerCalls(port: MessagePort, calls: () => Promise<object>): void {
  const oneByOne = createOneByOne();
  port.on('message', ({ name, args }: ThreadCall) => {
    void oneByOne(async () => port.postMessage(await replyTo(calls, name, args)));
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
