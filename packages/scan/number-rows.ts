import { hostKeyOfRow, type HostKey } from '../core/index.js';
import type { KeyFile } from './key-file.js';

export interface NumberedRow<R> {
  readonly row: R;
  readonly number: number;
  readonly newHost: HostKey | undefined;
}

interface Options {
  /** Called after each row. */
  readonly onRow?: (() => void) | undefined;
  /** When it aborts, the scan ends with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Numbers the rows of a scan in their order, and adds their keys to a key file, so that the key of a number and the number of a key can be
 * found later.
 * @param rows in key order, without repeated keys
 * @throws CrawlError STORE_FULL, BAD_OUTPUT
 */
export async function* numberRows<R extends { readonly key: string }>(
  rows: AsyncIterable<R> | Iterable<R>,
  keys: KeyFile,
  { onRow, signal }: Options,
): AsyncGenerator<NumberedRow<R>> {
  let start: string | undefined;
  for await (const row of rows) {
    signal?.throwIfAborted();
    const newHost = start !== undefined && row.key.startsWith(start) ? undefined : hostKeyOfRow(row.key);
    if (newHost !== undefined) start = `${newHost}:`;
    const number = keys.length;
    const wait = keys.add(row.key);
    if (wait) await wait;
    yield { row, number, newHost };
    onRow?.();
  }
  await keys.flush();
}
