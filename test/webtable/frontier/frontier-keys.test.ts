import { expect, it } from 'vitest';
import { hostKeyOfRow } from '../../../webtable/keys/host-key.js';
import { slotsOf } from '../../../webtable/keys/partition.js';
import { createFrontierKeys } from '../../../webtable/frontier/frontier-keys.js';

it.each([1, 16, 300])('recognises an entry of a queue like parse does, in a table of %i slots', (count) => {
  const keys = createFrontierKeys(slotsOf(count));
  const rows = ['com.a:http/', 'com.a:http/|~', 'com.a:http/q|', '[::1]:http/~', '10.0.0.1:https:8443/a?b|c'];
  const all = rows.flatMap((row) => [
    keys.due(0.5, row),
    keys.due(-3, row),
    keys.timed(1e12, row),
    keys.refused('q', row),
    keys.note(hostKeyOfRow(row)),
    keys.head(2, hostKeyOfRow(row)),
  ]);
  const kinds = new Set<string>();
  for (const key of [...all, ...keys.fences()]) {
    const { kind } = keys.parse(key);
    kinds.add(kind);
    expect(keys.isDue(key), key).toBe(kind === 'due');
  }
  expect(kinds.size).toBe(6);
});
