import type { RowChange, Store } from '../../../webtable/index.js';
import { cells, scanPlain } from './plain-rows.js';

/** A change after which every cell of the row, in every family, has this version, and nothing of other versions is left. */
export function versionedRow(key: string, version: number): RowChange {
  const stamp = `v${version} `;
  return {
    key,
    put: cells({
      'm:a': stamp,
      'm:b': stamp.repeat(20),
      'l:o': stamp,
      [`l:i:${version % 3}`]: stamp,
      'p:t': stamp.repeat(100),
      'p:b': stamp.repeat(1 + ((version * 7919) % 5000)),
    }),
    delete: [`l:i:${(version + 1) % 3}`, `l:i:${(version + 2) % 3}`],
  };
}

/** The version of each row, in key order. @throws Error that names an inconsistent row */
export async function wholeVersions(store: Store): Promise<Map<string, number>> {
  const versions = new Map<string, number>();
  for (const { key, cells: found, damaged } of await scanPlain(store, 'webpage', { columns: ['m', 'l', 'p'] })) {
    const stamps = new Set(found.flatMap(([, value]) => value.trimEnd().split(' ')));
    const columns = found.map(([column]) => column).join();
    const version = Number([...stamps][0]?.slice(1));
    if (damaged !== undefined || stamps.size !== 1 || columns !== `l:i:${version % 3},l:o,m:a,m:b,p:b,p:t`) {
      throw new Error(`row ${key} is not whole: ${[...stamps].join()} in ${columns} ${damaged ?? ''}`);
    }
    versions.set(key, version);
  }
  return versions;
}
