import type { Tables } from '../../packages/webcrawl/internal.js';
import type { HeldLeases } from '../../webtable/index.js';

/** Takes all slots of a table, so that a test can change its rows as a job does. */
export const holdSlots = ({ leases, slots }: Pick<Tables, 'leases' | 'slots'>): Promise<HeldLeases> =>
  leases.take(slots.all, { job: 'test', wait: 0 });

/** Removes the holders of all leases, as another worker does after they were silent for long. */
export async function expireLeases({ leases, store }: Pick<Tables, 'leases' | 'store'>): Promise<void> {
  for (const { id } of await leases.holders()) await store.write('meta', [{ key: `holder-${id}`, clear: true }]);
}
