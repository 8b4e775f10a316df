import type { OpenContext, Field } from '../../../packages/webcrawl/internal.js';
import { FIELD_COLUMNS, rowKeyOf, type PlainField } from '../../../webtable/index.js';
import { TEXT_PREFIX } from '../../../webtable/schema.js';

/** Bytes that no field can be read from. */
const UNREADABLE = Uint8Array.of(0xff);

/**
 * Makes one field of a page unreadable, as a broken disk would.
 * @returns a function that restores the field
 */
export async function damage(crawl: OpenContext, url: string, field: Field & PlainField): Promise<() => Promise<void>> {
  const key = rowKeyOf(url);
  // A field of the text record cannot be read if its location cannot.
  const named = FIELD_COLUMNS[field];
  const column = named.startsWith(TEXT_PREFIX) ? FIELD_COLUMNS.textLocation : named;
  const { store } = crawl.tables;
  const [row] = await store.get('webpage', [key], [column]);
  const whole = row?.cells.get(column);
  await store.write('webpage', [{ key, put: new Map([[column, UNREADABLE]]) }]);
  return () =>
    store.write('webpage', [
      whole === undefined ? { key, delete: [column] } : { key, put: new Map([[column, whole]]) },
    ]);
}
