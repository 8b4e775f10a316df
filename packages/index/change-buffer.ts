import type { CrawlContext, Tracker } from '../jobs/index.js';
import type { IndexChange, IndexWriter } from '../plugin-api/index.js';

/** What goes to the index in one transaction: so many changes, or UTF-16 units of text. */
const CHANGES = 1000;
const UNITS = 8_000_000;

/** Changes of an index that gather until they are worth a transaction. One is under way while the next gathers. */
export interface ChangeBuffer {
  /** @param isIn whether the page is in the index then; its mark follows. A later change of a page takes the place of an earlier one. */
  add(key: string, change: IndexChange | undefined, isIn: boolean): Promise<void>;
  /** An entry of the index that has no row. */
  remove(key: string): Promise<void>;
  /**
   * Notes of a page whether it stands in the place of those that name it as canonical, once all changes before are in the index;
   * undefined removes the note.
   */
  note(canonical: string, stands: boolean | undefined): Promise<void>;
  /** What is noted, or is going to be. */
  noted(canonicals: readonly string[]): Promise<(boolean | undefined)[]>;
  /** All is in the index, and marked. */
  flush(): Promise<void>;
  /** What is under way is through; what gathers is left out. */
  settled(): Promise<void>;
}

interface Gathered {
  readonly changes: Map<string, IndexChange>;
  /** Pages, and whether they are in the index. */
  readonly marks: Map<string, boolean>;
  readonly notes: Map<string, boolean | undefined>;
}

export function createChangeBuffer(crawl: CrawlContext, writer: IndexWriter, tracker: Tracker): ChangeBuffer {
  const { canonicals } = crawl.tables;
  const nothing = (): Gathered => ({ changes: new Map(), marks: new Map(), notes: new Map() });
  let gathered = nothing();
  let sent = nothing();
  let units = 0;
  let underWay: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    await underWay;
    [sent, gathered, units] = [gathered, nothing(), 0];
    underWay = apply(sent);
    // Who waits for it next hears of the error.
    underWay.catch(() => undefined);
  }

  /** The index before the marks and notes: they say what the index has. */
  async function apply({ changes, marks, notes }: Gathered): Promise<void> {
    const { added, changed, removed } = await writer.apply([...changes.values()]);
    tracker.count('added', added);
    tracker.count('changed', changed);
    tracker.count('removed', removed);
    await markRows(crawl, marks);
    await canonicals.note(notes);
  }

  async function writeWhereFull(): Promise<void> {
    const { changes, marks, notes } = gathered;
    if (Math.max(changes.size, marks.size, notes.size) >= CHANGES || units >= UNITS) await write();
  }

  function put(key: string, change: IndexChange): void {
    gathered.changes.delete(key);
    gathered.changes.set(key, change);
    if (change.type === 'put') units += change.document.text.length + change.document.anchors.length;
  }

  return {
    async add(key, change, isIn) {
      if (change) put(key, change);
      gathered.marks.set(key, isIn);
      await writeWhereFull();
    },
    async remove(key) {
      put(key, { type: 'remove', key });
      await writeWhereFull();
    },
    async note(canonical, stands) {
      gathered.notes.set(canonical, stands);
      await writeWhereFull();
    },
    async noted(keys) {
      const stored = await canonicals.noted(keys);
      return keys.map((key, i) => {
        const notes = [gathered.notes, sent.notes].find((each) => each.has(key));
        return notes ? notes.get(key) : stored[i];
      });
    },
    async flush() {
      await write();
      await underWay;
    },
    settled: () => underWay,
  };
}

/** The mark of a page in the index names the batch of the fetch that is in it. Others have none. */
async function markRows({ tables, clock }: CrawlContext, marked: ReadonlyMap<string, boolean>): Promise<void> {
  const keys = [...marked.keys()];
  if (keys.length === 0) return;
  await tables.changeRows(keys, ['marks'], clock(), (rows) =>
    rows.map((row) => {
      if (!row || row.damaged) return undefined;
      const wanted = marked.get(row.key) ? (row.marks?.updatedb ?? 'y') : undefined;
      return row.marks?.index === wanted ? undefined : { key: row.key, marks: { index: wanted ?? null } };
    }),
  );
}
