import { rowKeyOf, type PageChange, type Tables } from '../../packages/webcrawl/internal.js';
import { FRONTIER_FIELDS, hostKeyOfRow } from '../../webtable/index.js';

const NOW = 1_700_000_000_000;
export const KEYS = Array.from({ length: 4 }, (_, i) => rowKeyOf(`http://h${i % 2}.com/${i}`));

/**
 * One step of an owner: any change that jobs make to rows and entries. A changed row gets the number of the step as its `retries`.
 * @returns the keys of the rows that it changed
 */
export async function step(tables: Tables, pick: (n: number) => number, number: number): Promise<readonly string[]> {
  const keys = [...new Set(Array.from({ length: 1 + pick(2) }, () => KEYS[pick(KEYS.length)]!))];
  const kind = pick(8);
  if (kind === 0) await tables.frontier.promote(NOW, NOW + pick(2) * 1000);
  else if (kind === 1) await tables.removeRows(keys, [], NOW, (rows) => rows.map(() => pick(3) === 0));
  else if (kind === 2) await correctQueue(tables, hostKeyOfRow(keys[0]!));
  if (kind < 3) return [];
  await tables.changeRows(keys, [], NOW, (rows, left) =>
    left.map((key, i): PageChange => {
      const isHeld = rows[i]?.marks?.generate !== undefined;
      const set = { retries: number };
      if (kind === 3) return { key, set, marks: { generate: isHeld ? null : 'b-1' } };
      if (kind === 4) return { key, set: { ...set, refusedBy: `cause-${pick(2)}` } };
      if (kind === 5) return { key, set: { ...set, dueAt: NOW + (pick(3) - 1) * 500 } };
      return { key, set: { ...set, score: pick(3), dueAt: NOW - 1 }, unset: ['refusedBy'] };
    }),
  );
  return keys;
}

/** Reads the queue of a host as generate does, and corrects entries that differ from their rows. */
async function correctQueue(tables: Tables, host: ReturnType<typeof hostKeyOfRow>): Promise<void> {
  const entries = new Map((await tables.frontier.due(host, 9, 10)).map((entry) => [entry.rowKey, entry]));
  await tables.changeRows([...entries.keys()], [], NOW, (rows, keys, stale) =>
    keys.map((key, i) => {
      const row = rows[i];
      if (!row || !tables.frontier.isEntryOf(entries.get(key)!, row)) stale(entries.get(key)!);
      return undefined;
    }),
  );
}

/** Rows without an entry. */
export async function lostRows(tables: Tables): Promise<string[]> {
  const rows = [];
  for await (const row of tables.pages.scan({ fields: FRONTIER_FIELDS })) rows.push(row);
  const isLedTo = await tables.frontier.hasEntries(rows);
  return rows.flatMap(({ key }, i) => (isLedTo[i] ? [] : [key]));
}
