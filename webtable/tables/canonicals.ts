/**
 * An index from a canonical page to the pages that name it as canonical. It also records whether the canonical page replaced these pages in
 * the search index at the last check. When this changes, the search index finds the pages here. Like every index it may hold stale entries,
 * but never misses a page that was checked.
 */
import { text } from '../pages/codec.js';
import { removals, scanSteps } from '../scan-steps.js';
import { INDEX_COLUMNS } from '../schema.js';
import type { Store } from '../store.js';

/** A page, and its canonical page; both are row keys. */
export interface CanonicalLink {
  readonly page: string;
  readonly canonical: string;
}

/** The pages that name another page as canonical. */
export type Canonicals = ReturnType<typeof createCanonicals>;

const COLUMN = INDEX_COLUMNS.canonical;
const STEP = 1000;

// No row key contains a blank, so all keys with this prefix sort together.
const PREFIX = 'canonical ';
const ALL = { start: PREFIX, end: 'canonical!' };
const noteKey = (canonical: string): string => `${PREFIX}${canonical}`;
const linkKey = ({ page, canonical }: CanonicalLink): string => `${noteKey(canonical)} ${page}`;

export function createCanonicals(store: Store) {
  return {
    /** Adds the missing links. Call it before the canonical page is read. */
    async enter(links: readonly CanonicalLink[]): Promise<void> {
      const keys = links.map(linkKey);
      const found = await store.get('meta', keys, [COLUMN]);
      const put = new Map([[COLUMN, text.encode('')]]);
      const missing = keys.filter((_, i) => !found[i]).map((key) => ({ key, put }));
      await store.write('meta', missing);
    },

    async remove(links: readonly CanonicalLink[]): Promise<void> {
      await store.write('meta', removals(links.map(linkKey)));
    },

    /** The pages that name this page as canonical, in steps. */
    async *pagesOf(canonical: string): AsyncGenerator<string[]> {
      const start = `${noteKey(canonical)} `;
      const range = { start, end: `${noteKey(canonical)}!` };
      for await (const rows of scanSteps(store, 'meta', [COLUMN], [range], STEP)) {
        yield rows.map(({ key }) => key.slice(start.length));
      }
    },

    /** All entries, in steps. If a canonical page has a record, the record comes before the links to the page and has no `page`. */
    async *all(): AsyncGenerator<{ readonly canonical: string; readonly page?: string }[]> {
      for await (const rows of scanSteps(store, 'meta', [COLUMN], [ALL], STEP)) {
        yield rows.map(({ key }) => {
          const [canonical = '', page] = key.slice(PREFIX.length).split(' ');
          return page === undefined ? { canonical } : { canonical, page };
        });
      }
    },

    /** For each canonical page, returns whether it replaced the pages that name it; undefined if this was not recorded. */
    async noted(canonicals: readonly string[]): Promise<(boolean | undefined)[]> {
      const rows = await store.get('meta', canonicals.map(noteKey), [COLUMN]);
      return rows.map((row) => {
        const cell = row?.cells.get(COLUMN);
        return cell && text.decode(cell) === 'stands';
      });
    },

    /** Records for each canonical page whether it replaced the pages that name it; undefined removes the record. */
    async note(notes: ReadonlyMap<string, boolean | undefined>): Promise<void> {
      await store.write(
        'meta',
        [...notes].map(([canonical, stands]) => ({
          key: noteKey(canonical),
          ...(stands === undefined
            ? { clear: true }
            : { put: new Map([[COLUMN, text.encode(stands ? 'stands' : 'none')]]) }),
        })),
      );
    },

    /** Removes all entries. */
    async clear(): Promise<void> {
      for await (const rows of scanSteps(store, 'meta', [COLUMN], [ALL], STEP)) {
        await store.write('meta', removals(rows.map(({ key }) => key)));
      }
    },
  };
}
