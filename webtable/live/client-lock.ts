import { CrawlError } from '../../packages/errors/index.js';
import type { Exclusive } from '../../packages/util/index.js';

/** The only lock that another process can take. It protects the rows that a process reads and then writes. */
export const SHARED_LOCK = 'rows';

/** The lock {@link SHARED_LOCK} of one client. */
export type ClientLock = ReturnType<typeof createClientLock>;

/**
 * @param leaseMs milliseconds for which the client may hold the lock
 * @param onFree called when a lock that the client requested is free again
 * @param onExpired called when the client held the lock for too long; the callback must call `close`
 */
export function createClientLock(exclusive: Exclusive, leaseMs: number, onFree: () => void, onExpired: () => void) {
  const writes = new Set<Promise<void>>();
  let state: 'none' | 'asked' | 'held' = 'none';
  let isClosed = false;
  let end = (): void => {};
  let freed = Promise.resolve();

  return {
    get state() {
      return state;
    },
    /**
     * Resolves when the client has the lock. The client loses the lock when it releases the lock, disconnects, or exceeds `leaseMs`.
     * @throws CrawlError TABLE_LOCKED for any other lock, or if the client already has the lock
     */
    async take(name: string): Promise<void> {
      if (name !== SHARED_LOCK || state !== 'none')
        throw new CrawlError('TABLE_LOCKED', `expected to hold the lock ${SHARED_LOCK} once, found ${name}`);
      state = 'asked';
      await new Promise<void>((granted) => {
        const hold = async (): Promise<void> => {
          if (isClosed) return;
          state = 'held';
          let timer: NodeJS.Timeout | undefined;
          await new Promise<void>((resolve) => {
            end = resolve;
            timer = setTimeout(onExpired, leaseMs);
            granted();
          });
          clearTimeout(timer);
          await Promise.all(writes);
        };
        freed = exclusive(name, hold).finally(() => {
          state = 'none';
          granted();
          onFree();
        });
      });
    },
    /** Resolves when the lock is free, so that the client may request the lock again at once. */
    async release(): Promise<void> {
      end();
      if (state === 'held') await freed;
    },
    /** Runs a write of the client. The lock stays taken until the write ends. */
    async write(task: () => Promise<void>): Promise<void> {
      const writing = task();
      const settled = writing.catch(() => undefined);
      writes.add(settled);
      try {
        await writing;
      } finally {
        writes.delete(settled);
      }
    },
    /** Releases the lock for good, since the client is gone. */
    close(): void {
      isClosed = true;
      end();
    },
  };
}
