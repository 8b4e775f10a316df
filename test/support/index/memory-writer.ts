import { randomUUID } from 'node:crypto';
import type { IndexChange, IndexDocument, IndexEntry, IndexWriter } from '../../../packages/plugin-api/index.js';

/** An index in memory, with access to its content. */
export interface MemoryWriter extends IndexWriter {
  readonly documents: Map<string, IndexDocument>;
  /** All requested changes. */
  readonly changes: IndexChange[];
  /** Number of changes that were applied. */
  readonly applied: number;
  /** Makes `apply` fail after this number of calls. */
  failAfter(calls: number): void;
}

/** Makes an index in memory. Its entries are read on demand, a few at a time. */
export function memoryWriter(): MemoryWriter {
  const documents = new Map<string, IndexDocument>();
  const all: IndexChange[] = [];
  let isWhole = false;
  let left = Infinity;
  return {
    id: randomUUID(),
    documents,
    changes: all,
    get applied() {
      return all.length;
    },
    failAfter(calls) {
      left = calls;
    },
    get isWhole() {
      return isWhole;
    },
    markWhole() {
      isWhole = true;
      return Promise.resolve();
    },
    apply(changes) {
      if ((left -= 1) < 0) return Promise.reject(new Error('it fails'));
      all.push(...changes);
      const applied = { added: 0, changed: 0, removed: 0 };
      for (const change of changes) {
        const key = change.type === 'put' ? change.document.key : change.key;
        const known = documents.get(key);
        if (change.type === 'remove') {
          if (documents.delete(key)) applied.removed += 1;
        } else if (change.type === 'put') {
          documents.set(key, change.document);
          applied[known ? 'changed' : 'added'] += 1;
        } else if (known) {
          documents.set(key, { ...known, rank: change.rank, fetchedAt: change.fetchedAt });
          applied.changed += 1;
        }
      }
      return Promise.resolve(applied);
    },
    entries(after, limit) {
      const keys = [...documents.keys()].filter((key) => after === undefined || key > after).sort();
      return Promise.resolve(keys.slice(0, limit).map((key): IndexEntry => documents.get(key)!));
    },
    close: () => Promise.resolve(),
  };
}
