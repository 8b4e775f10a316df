/**
 * Robots requests. The robots.txt of a host may redirect to a host in another slot. The worker that fetches the first host may not send a
 * request to the second host. It leaves the request to the worker of the other slot, which stores the answer with the request. Requests are
 * part of a batch and are removed with it.
 */
import { FENCE, type Slots } from '../keys/partition.js';
import { json } from '../pages/codec.js';
import { scanSteps } from '../scan-steps.js';
import { INDEX_COLUMNS } from '../schema.js';
import type { Store } from '../store.js';

/** An answer as plain data, without values that JSON cannot represent. */
type Answer = Readonly<Record<string, unknown>>;

const codec = json<{ readonly answer?: Answer }>((value) => typeof value === 'object' && value !== null);
const COLUMN = INDEX_COLUMNS.robotsRequest;
const STEP = 100;

export function createRobotsRequests(store: Store, slots: Slots) {
  const keyOf = (batchId: string, slot: string, url: string): string => `r${slot}|${batchId}|${url}`;
  const rangesOf = (batchId: string, ofSlots: Iterable<string>) =>
    Array.from(ofSlots, (slot) => ({ start: `r${slot}|${batchId}|`, end: `r${slot}|${batchId}${FENCE}` }));
  const put = (batchId: string, slot: string, url: string, value: { readonly answer?: Answer }): Promise<void> =>
    store.write('batch', [
      { key: keyOf(batchId, slot, url), clear: true, put: new Map([[COLUMN, codec.encode(value)]]) },
    ]);

  return {
    /** Returns a request; undefined if there is none. The request has no `answer` until the owner of the slot has answered. */
    async get(batchId: string, slot: string, url: string): Promise<{ readonly answer?: Answer } | undefined> {
      const [row] = await store.get('batch', [keyOf(batchId, slot, url)], [COLUMN]);
      const cell = row?.cells.get(COLUMN);
      return cell && codec.decode(cell);
    },
    /** Makes a request. @param slot the slot of the queue of the requested host */
    make: (batchId: string, slot: string, url: string): Promise<void> => put(batchId, slot, url, {}),
    /** Stores the answer to a request. */
    answer: (batchId: string, slot: string, url: string, answer: Answer): Promise<void> =>
      put(batchId, slot, url, { answer }),

    /** The unanswered requests to these slots. */
    async *open(
      batchId: string,
      ofSlots: Iterable<string>,
    ): AsyncGenerator<{ readonly slot: string; readonly url: string }> {
      for await (const rows of scanSteps(store, 'batch', [COLUMN], rangesOf(batchId, ofSlots), STEP)) {
        for (const { key, cells } of rows) {
          const cell = cells.get(COLUMN);
          if (!cell || codec.decode(cell).answer) continue;
          const [head = ''] = key.split('|', 1);
          yield { slot: head.slice(1), url: key.slice(head.length + batchId.length + 2) };
        }
      }
    },

    /** Removes the requests of a batch. @param ofSlots the requested slots; absent: all */
    async clear(batchId: string, ofSlots: Iterable<string> = slots.all): Promise<void> {
      for await (const rows of scanSteps(store, 'batch', [COLUMN], rangesOf(batchId, ofSlots), STEP)) {
        await store.write(
          'batch',
          rows.map(({ key }) => ({ key, clear: true })),
        );
      }
    },
  };
}
