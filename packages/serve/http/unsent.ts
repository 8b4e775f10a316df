import type { ServerResponse } from 'node:http';

/** For all clients together. A single response is much smaller. */
const MAX_UNSENT_BYTES = 64 * 2 ** 20;

/** Limits the memory of responses that clients do not read. */
export type Unsent = ReturnType<typeof createUnsent>;

export function createUnsent(most = MAX_UNSENT_BYTES) {
  const waiting = new Map<ServerResponse, number>();
  let sum = 0;

  function remove(response: ServerResponse): void {
    sum -= waiting.get(response) ?? 0;
    waiting.delete(response);
  }

  return {
    /**
     * Counts the bytes of a response until it is sent or its client disconnects. When the sum of all responses is too large, the oldest
     * responses are aborted.
     */
    add(response: ServerResponse, bytes: number): void {
      if (response.writableFinished) return;
      for (const [oldest] of waiting) {
        if (sum + bytes <= most) break;
        remove(oldest);
        oldest.destroy();
      }
      waiting.set(response, bytes);
      sum += bytes;
      // `finish`: the system has accepted all data. `close`: the connection is closed.
      for (const event of ['finish', 'close']) response.once(event, () => remove(response));
    },
  };
}
