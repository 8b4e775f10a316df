import { deadline } from '../../packages/util/index.js';
import type { Connection } from './connection.js';
import { LEASE_MS } from './session.js';

/** Milliseconds between two questions to a process that has the table open, and two looks whether it is still there. */
export const LOOK_AGAIN_MS = 100;
/** Milliseconds in which a process that opens or closes the table gets to where it can be asked, or is gone. */
export const PATIENCE_MS = 5_000;
/** Milliseconds for which what needs the table alone waits for a process that only reads it. */
const READER_MS = 2_000;
/** The same once that process has said that it yields: a lock has to end before that a third process may hold there. */
const YIELDING_MS = LEASE_MS + PATIENCE_MS;

/**
 * Waits until the process that has a table open is gone or has closed the table. It is asked to close it, again and again, as it
 * may be under a lock for a moment; one that needs the table alone itself is only waited for.
 * @param patience milliseconds for which it is waited for in any case
 * @returns whether the connection is lost: then the table can be looked for again
 */
export async function waitUntilYielded(connection: Connection, patience = 0, signal?: AbortSignal): Promise<boolean> {
  const began = performance.now();
  const asks = !connection.holder.alone;
  let until = began + Math.max(patience, asks ? READER_MS : 0);
  let yields = false;
  while (!connection.isLost && !signal?.aborted) {
    if (asks && !yields) {
      // One that was stopped does not answer at all; one that is busy does so late.
      const patient = Math.max(until - performance.now(), PATIENCE_MS);
      yields = await deadline(askToYield(connection), patient, () => false, signal);
      if (yields) until = Math.max(until, began + YIELDING_MS);
    }
    const left = until - performance.now();
    if (left <= 0) break;
    const isAskedAgain = asks && !yields;
    await deadline(connection.lost, isAskedAgain ? Math.min(left, LOOK_AGAIN_MS) : left, () => undefined, signal);
  }
  return connection.isLost;
}

/** Whether it says that it closes the table. Then the connection is lost soon. */
async function askToYield(connection: Connection): Promise<boolean> {
  const answer = await connection.request({ op: 'yield' }).catch(() => undefined);
  return answer?.head['yields'] === true;
}
