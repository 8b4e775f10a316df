import { deadline } from '../../packages/util/index.js';
import type { Connection } from './connection.js';
import { LEASE_MS } from './session.js';

/** Milliseconds between two requests to yield a table, and between two checks whether the process still has the table. */
export const POLL_MS = 100;
/** Maximum milliseconds for a process to open the table and answer requests, or to close the table and end. */
export const PATIENCE_MS = 5_000;
/** Milliseconds to wait for a process that only reads the table. The waiting process needs the table alone. */
const READER_MS = 2_000;
/** Milliseconds to wait after the other process has agreed to yield. It yields only after a lock of a third process has ended. */
const YIELDING_MS = LEASE_MS + PATIENCE_MS;

/**
 * Waits until the process that has a table open has ended or closed the table. It asks that process repeatedly to close the table, because
 * a lock may delay this for a moment. If that process itself needs the table alone, this function only waits.
 * @param patience minimum milliseconds to wait
 * @returns whether the connection is lost, so that the caller can look for the table again
 */
export async function waitUntilYielded(connection: Connection, patience = 0, signal?: AbortSignal): Promise<boolean> {
  const began = performance.now();
  const asks = !connection.owner.alone;
  let until = began + Math.max(patience, asks ? READER_MS : 0);
  let yields = false;
  while (!connection.isLost && !signal?.aborted) {
    if (asks && !yields) {
      // A stopped process does not answer at all, and a busy one answers late.
      const patient = Math.max(until - performance.now(), PATIENCE_MS);
      yields = await deadline(askToYield(connection), patient, () => false, signal);
      if (yields) until = Math.max(until, began + YIELDING_MS);
    }
    const left = until - performance.now();
    if (left <= 0) break;
    const isAskedAgain = asks && !yields;
    await deadline(connection.lost, isAskedAgain ? Math.min(left, POLL_MS) : left, () => undefined, signal);
  }
  return connection.isLost;
}

/** Asks the process to close the table. Returns whether the process agrees; the connection then ends soon. */
async function askToYield(connection: Connection): Promise<boolean> {
  const answer = await connection.request({ op: 'yield' }).catch(() => undefined);
  return answer?.head['yields'] === true;
}
