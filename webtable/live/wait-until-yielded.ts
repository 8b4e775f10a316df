import { deadline } from '../../packages/util/index.js';
import type { Connection } from './connection.js';
import { DRAIN_MS } from './session.js';

/** Milliseconds between two requests to yield a table, and between two checks whether the process still has the table. */
export const POLL_MS = 100;
/** Maximum milliseconds for a process to open the table and answer requests, or to close the table and end. */
export const PATIENCE_MS = 5_000;
/** Milliseconds to wait for a process that only reads the table. The waiting process needs the table alone. */
const READER_MS = 2_000;
/** Milliseconds to wait after the other process has agreed to yield. It yields only after its running requests have ended. */
const YIELDING_MS = DRAIN_MS + PATIENCE_MS;

/**
 * Waits until the process that has a table open has ended or closed the table. It requests this repeatedly, because a running request
 * of a third process may delay it for a moment. If that process itself needs the table alone, this function only waits.
 * @param patience minimum milliseconds to wait
 * @returns whether the connection is lost, so that the caller can look for the table again
 */
export async function waitUntilYielded(connection: Connection, patience = 0, signal?: AbortSignal): Promise<boolean> {
  const began = performance.now();
  const mayYield = !connection.owner.alone;
  let until = began + Math.max(patience, mayYield ? READER_MS : 0);
  let yields = false;
  while (!connection.isLost && !signal?.aborted) {
    if (mayYield && !yields) {
      // A stopped process does not respond at all, and a busy one responds late.
      const patient = Math.max(until - performance.now(), PATIENCE_MS);
      yields = await deadline(requestYield(connection), patient, () => false, signal);
      if (yields) until = Math.max(until, began + YIELDING_MS);
    }
    const left = until - performance.now();
    if (left <= 0) break;
    const isRepeated = mayYield && !yields;
    await deadline(connection.lost, isRepeated ? Math.min(left, POLL_MS) : left, () => undefined, signal);
  }
  return connection.isLost;
}

/** Requests that the process closes the table. Returns whether the process agrees; the connection then ends soon. */
async function requestYield(connection: Connection): Promise<boolean> {
  const response = await connection.request({ op: 'yield' }).catch(() => undefined);
  return response?.head['yields'] === true;
}
