import type { Store } from '../../../webtable/index.js';
import { plain, type PlainRow } from '../../../webtable/store-suite/kit.js';

export { bytes, cells, plain, put, scanPlain, type PlainRow } from '../../../webtable/store-suite/kit.js';

export async function getPlain(
  store: Store,
  keys: readonly string[],
  columns: readonly string[],
): Promise<(PlainRow | undefined)[]> {
  return (await store.get('webpage', keys, columns)).map((row) => plain(row));
}
