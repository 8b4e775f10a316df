import { CrawlError } from '../errors/index.js';
import type { Settings } from '../core/index.js';

export interface ReadBounds {
  /** Maximum number of bytes of memory for all running reads together. Default: 96 MiB. */
  readonly bytes?: number;
  /** Maximum number of waiting reads; more are refused. Default: 100. */
  readonly mostWaiting?: number;
  /** Maximum time in milliseconds that a read waits to begin. Default: 10,000. */
  readonly waitLimit?: number;
}

export interface ReadBudget {
  /**
   * Calls `read` as soon as the budget has room. Reads begin in order of arrival. A read uses its part of the budget until the read ends,
   * even if the client has disconnected.
   * @param bytes maximum memory of the read, without small data. A read with more bytes than the budget runs alone
   * @throws CrawlError SEARCH_BUSY when too many reads wait, or this read waits too long; the reason of the signal when the signal is
   * aborted
   */
  run<T>(bytes: number, read: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

interface Waiting {
  readonly bytes: number;
  begin(): void;
}

/** Makes a budget. A process needs only one, for all reads for clients. */
export function createReadBudget(bounds: ReadBounds = {}): ReadBudget {
  const { bytes: most = 96 * 2 ** 20, mostWaiting = 100, waitLimit = 10_000 } = bounds;
  const line = new Set<Waiting>();
  let used = 0;

  const fits = (bytes: number): boolean => used + bytes <= most;

  /** Resolves when the read may begin. */
  function turn(bytes: number, signal: AbortSignal | undefined): Promise<void> {
    if (line.size === 0 && fits(bytes)) {
      used += bytes;
      return Promise.resolve();
    }
    if (line.size >= mostWaiting) {
      return Promise.reject(busy(`expected at most ${mostWaiting} waiting reads, found more`));
    }
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        line.delete(waiting);
      };
      const waiting: Waiting = {
        bytes,
        begin() {
          leave();
          used += bytes;
          resolve();
        },
      };
      const refuse = (error: Error): void => {
        leave();
        reject(error);
        // A smaller read that waited behind this read may begin now.
        beginNext();
      };
      const onAbort = (): void => refuse(signal?.reason as Error);
      const late = busy(`expected to begin this read within ${waitLimit / 1000} s, found other reads before it`);
      const timer = setTimeout(refuse, waitLimit, late);
      signal?.addEventListener('abort', onAbort, { once: true });
      line.add(waiting);
    });
  }

  function beginNext(): void {
    for (const waiting of line) {
      if (!fits(waiting.bytes)) return;
      waiting.begin();
    }
  }

  return {
    async run(wanted, read, signal) {
      signal?.throwIfAborted();
      const bytes = Math.min(wanted, most);
      await turn(bytes, signal);
      // The async function turns an error that `read` throws at once into a rejection, so that the bytes are freed.
      const answer = (async () => read())();
      const release = (): void => {
        used -= bytes;
        beginNext();
      };
      void answer.then(release, release);
      if (!signal) return answer;
      return new Promise((resolve, reject) => {
        const onAbort = (): void => reject(signal.reason as Error);
        signal.addEventListener('abort', onAbort, { once: true });
        answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
      });
    },
  };
}

function busy(message: string): CrawlError {
  return new CrawlError('SEARCH_BUSY', message, { hint: 'ask again later' });
}

/** Unless a single row is larger. */
const MAX_READ_BYTES = 12 * 2 ** 20;
/** Up to three in the row, and two in the string. */
const BYTES_PER_CHARACTER = 5;
/**
 * Bytes of memory for each character of the text of a snippet: two in the string of the prose, and two in the string of all parts that may
 * be shown.
 */
const OF_PARTS = 4;
const ROW_BYTES_WITHOUT_TEXT = 256 * 1024;

/**
 * Returns the share of a {@link ReadBudget} for one read of rows with the longest possible text: its bytes, and the number of rows that fit
 * into these bytes. The known size of a page is not used, because a page may have grown since it was indexed.
 */
export function rowShare({ parser }: Pick<Settings, 'parser'>) {
  const longest = parser.textLimit < 0 ? Infinity : parser.textLimit;
  const row = ROW_BYTES_WITHOUT_TEXT + BYTES_PER_CHARACTER * longest;
  const rows = Math.max(1, Math.floor(MAX_READ_BYTES / row));
  return { bytes: Math.max(MAX_READ_BYTES, rows * row + OF_PARTS * longest), rows };
}
