import type { Protocol } from '../../plugin-api/index.js';
import type { CrawlContext } from '../context.js';

/**
 * Keeps requests back while nobody knows whether the slots are still held: another worker may ask the same hosts.
 * @param giveUp ends the wait
 */
export function askingHolder({ own }: Pick<CrawlContext, 'own'>, giveUp: AbortSignal) {
  /** @returns whether they are held */
  async function mayGoOn(): Promise<boolean> {
    if (!own || own.leases.isHeld()) return true;
    let stop = (): void => {};
    const stopped = new Promise<void>((resolve) => {
      stop = resolve;
      if (giveUp.aborted) resolve();
      else giveUp.addEventListener('abort', stop, { once: true });
    });
    await Promise.race([own.leases.untilHeld().catch(() => undefined), stopped]);
    giveUp.removeEventListener('abort', stop);
    return own.leases.isHeld();
  }

  return {
    mayGoOn,
    /** The same of each request of a protocol. */
    protocol: (protocol: Protocol): Protocol => ({
      ...protocol,
      async fetch(request) {
        if (await mayGoOn()) return protocol.fetch(request);
        return { kind: 'retry', code: 'aborted', message: 'the part of the table is not held any more' };
      },
    }),
  };
}
