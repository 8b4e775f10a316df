import { createBoundedCache } from '../../../util/index.js';
import type { Database } from '../database.js';

const KEPT = 1000;

export function createCounts(database: Database) {
  const version = database.prepare('pragma data_version');
  const documents = database.prepare('select count(*) as n from docs');
  const matches = database.prepare('select count(*) as n from fts where fts match ?');
  let seen: unknown;
  let kept = createBoundedCache<number>(KEPT);

  function count(key: string, read: () => number): number {
    const current = version.get()?.data_version;
    if (current !== seen) kept = createBoundedCache<number>(KEPT);
    seen = current;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const value = read();
    kept.set(key, value);
    return value;
  }

  return {
    documents: (): number => count('', () => Number(documents.get()?.n ?? 0)),
    matches: (match: string): number => count(match, () => Number(matches.get(match)?.n ?? 0)),
  };
}
