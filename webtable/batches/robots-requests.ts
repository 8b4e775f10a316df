/**
 * Requests for files to which the robots.txt of a host in another slot redirects: who fetches the pages of that host may not ask the
 * host there, and leaves the request to whoever may, who puts the answer beside it. They are part of a batch, and end with it.
 */
import { FENCE, type Slots } from '../keys/partition.js';
import { json } from '../pages/codec.js';
import { scanSteps } from '../scan-steps.js';
import { INDEX_COLUMNS } from '../schema.js';
import type { Store } from '../store.js';

/** An answer, as plain data that is fit for JSON. */
type Answer = Readonly<Record<string, unknown>>;

const codec = json<{ readonly answer?: Answer }>((value) => typeof value === 'object' && value !== null);
const COLUMN = INDEX_COLUMNS.robotsRequest;
const STEP = 100;

export function createRobotsRequests(store: Store, slots: Slots) {
  const keyOf = (batchId: string, slot: string, url: string): string => `r${slot}|${batchId}|${url}`;
  const rangesOf = (batchId: string, of: Iterable<string>) =>
    Array.from(of, (slot) => ({ start: `r${slot}|${batchId}|`, end: `r${slot}|${batchId}${FENCE}` }));
  const put = (batchId: string, slot: string, url: string, value: { readonly answer?: Answer }): Promise<void> =>
    store.write('batch', [
      { key: keyOf(batchId, slot, url), clear: true, put: new Map([[COLUMN, codec.encode(value)]]) },
    ]);

  return {
    /** What is known of a request: nothing where it was not made, no `answer` where it was not answered. */
    async get(batchId: string, slot: string, url: string): Promise<{ readonly answer?: Answer } | undefined> {
      const [row] = await store.get('batch', [keyOf(batchId, slot, url)], [COLUMN]);
      const cell = row?.cells.get(COLUMN);
      return cell && codec.decode(cell);
    },
    /** Makes a request. @param slot that of the queue of the host there */
    make: (batchId: string, slot: string, url: string): Promise<void> => put(batchId, slot, url, {}),
    /** Answers one. */
    answer: (batchId: string, slot: string, url: string, answer: Answer): Promise<void> =>
      put(batchId, slot, url, { answer }),

    /** The requests to slots that are not answered. */
    async *open(
      batchId: string,
      of: Iterable<string>,
    ): AsyncGenerator<{ readonly slot: string; readonly url: string }> {
      for await (const rows of scanSteps(store, 'batch', [COLUMN], rangesOf(batchId, of), STEP)) {
        for (const { key, cells } of rows) {
          const cell = cells.get(COLUMN);
          if (!cell || codec.decode(cell).answer) continue;
          const [head = ''] = key.split('|', 1);
          yield { slot: head.slice(1), url: key.slice(head.length + batchId.length + 2) };
        }
      }
    },

    /** Removes those of a batch. @param of to these slots; absent: all */
    async clear(batchId: string, of: Iterable<string> = slots.all): Promise<void> {
      for await (const rows of scanSteps(store, 'batch', [COLUMN], rangesOf(batchId, of), STEP)) {
        await store.write(
          'batch',
          rows.map(({ key }) => ({ key, clear: true })),
        );
      }
    },
  };
}
