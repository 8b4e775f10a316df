import type { Protocol } from '../../plugin-api/index.js';
import { deadline } from '../../util/index.js';
import type { JobRun } from '../context.js';

/**
 * Delays requests while another worker may hold the slots, because that worker may send requests to the same hosts.
 * @param giveUp ends the wait
 */
export function createLeaseGuard({ jobSlots }: Pick<JobRun, 'jobSlots'>, giveUp: AbortSignal) {
  /**
   * Waits until the leases are held.
   * @returns whether the leases are held
   */
  async function mayGoOn(): Promise<boolean> {
    if (jobSlots.leases.isHeld()) return true;
    const held = jobSlots.leases.untilHeld().catch(() => undefined);
    await deadline(held, Infinity, () => undefined, giveUp);
    return jobSlots.leases.isHeld();
  }

  return {
    mayGoOn,
    /** Makes a protocol that waits for the leases before each request. */
    protocol: (protocol: Protocol): Protocol => ({
      ...protocol,
      async fetch(request) {
        if (await mayGoOn()) return protocol.fetch(request);
        return { kind: 'retry', code: 'aborted', message: 'this worker has lost its leases' };
      },
    }),
  };
}
