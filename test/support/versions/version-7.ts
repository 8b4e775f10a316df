import {
  encodeFields,
  hostKeyOfRow,
  partitionOf,
  type Page,
  type Store,
  type TableName,
} from '../../../webtable/index.js';
import { text } from '../../../webtable/pages/codec.js';

/** Gives a table a version, as a text. */
export function setVersion(store: Store, version: string): Promise<void> {
  return store.write('meta', [{ key: 'schema', put: new Map([['v:n', text.encode(version)]]) }]);
}

/** The version of a table. */
export async function versionOf(store: Store): Promise<string | undefined> {
  const [row] = await store.get('meta', ['schema'], ['v:n']);
  return row && text.decode(row.cells.get('v:n')!);
}

/** Turns a table with two digits of slots into one of version 7, in which the slot of a host is a hash of the host itself. */
export async function toVersion7(store: Store): Promise<void> {
  const [row] = await store.get('meta', ['schema'], ['v:s']);
  const slots = Number(text.decode(row!.cells.get('v:s')!));
  const slotOf = (host: string): string => partitionOf(host, slots).toString(16).padStart(2, '0');
  await move(store, 'frontier', 'f', (key) => {
    const [head = '', next = ''] = key.split('|', 2);
    const letter = head[2]!;
    const rowKey = key.slice(head.length + 1);
    const host = letter === 'q' ? head.slice(3) : letter === 'h' ? next.slice(0, -1) : hostKeyOfRow(rowKey);
    return slotOf(host) + key.slice(2);
  });
  await move(store, 'batch', 'b', (key) => {
    const [head = '', , queue] = key.split('|', 3);
    return queue === undefined || !/^[eu]/.test(head)
      ? key
      : key[0]! + slotOf(hostKeyOfRow(key.split('|', 4)[3]!)) + key.slice(3);
  });
  // A header is in the zone of its state.
  for await (const { key, cells } of store.scan('batch', { columns: ['b:h'], ranges: [{ start: 'd|', end: 'd}' }] })) {
    const { state } = JSON.parse(text.decode(cells.get('b:h')!)) as { readonly state: string };
    if (state === 'closed') continue;
    const zone = state === 'updated' ? 'w' : 'h';
    await store.write('batch', [
      { key, clear: true },
      { key: `${zone}${key.slice(1)}`, clear: true, put: new Map(cells) as never },
    ]);
  }
  await setVersion(store, '7');
}

/** The cells of a row of version 7 that are in a text record since then, by field. */
export const OLD_TEXTS = {
  outlinks: 'l:o',
  headers: 'p:he',
  headings: 'p:hd',
  textRanges: 'p:tr',
  text: 'p:tx',
} as const;

/** Puts the texts of a page into its row, as version 7 did. */
export function putOldTexts(
  store: Store,
  key: string,
  texts: { readonly [F in keyof typeof OLD_TEXTS]?: Page[F] },
): Promise<void> {
  const put = new Map(
    [...encodeFields(texts)].map(([field, cell]) => [OLD_TEXTS[field as keyof typeof OLD_TEXTS], cell]),
  );
  return store.write('webpage', [{ key, put }]);
}

async function move(store: Store, table: TableName, family: 'f' | 'b', newKey: (key: string) => string): Promise<void> {
  const found = [];
  for await (const row of store.scan(table, { columns: [family] })) if (row.key.includes('|')) found.push(row);
  for (const { key, cells } of found) {
    const moved = newKey(key);
    if (moved === key) continue;
    await store.write(table, [{ key: moved, clear: true, put: new Map(cells) as never }]);
    await store.write(table, [{ key, clear: true }]);
  }
}
