import { ALL_SLOTS, readyEntries, type FrontierEntry, type Store } from '../../webtable/index.js';

/** The due entries of the frontier over all slots: best score first, then by row key. */
export async function* readFrontier(store: Store): AsyncGenerator<FrontierEntry> {
  const slots = ALL_SLOTS.map((slot) => readyEntries(store, slot));
  try {
    const heads: { entry: FrontierEntry; slot: AsyncGenerator<FrontierEntry> }[] = [];
    for (const slot of slots) {
      const next = await slot.next();
      if (!next.done) heads.push({ entry: next.value, slot });
    }
    while (heads.length > 0) {
      // Few heads: a plain search for the best is quicker than keeping a heap.
      let best = 0;
      for (let i = 1; i < heads.length; i++) if (before(heads[i]!.entry, heads[best]!.entry)) best = i;
      const head = heads[best]!;
      yield head.entry;
      const next = await head.slot.next();
      if (next.done) heads.splice(best, 1);
      else head.entry = next.value;
    }
  } finally {
    await Promise.all(slots.map((slot) => slot.return(undefined)));
  }
}

function before(a: FrontierEntry, b: FrontierEntry): boolean {
  return a.score !== b.score ? a.score > b.score : a.rowKey < b.rowKey;
}
