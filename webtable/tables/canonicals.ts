/**
 * Which pages name another one as canonical, by that other one, and whether it stood in their place when they were last
 * looked at: so that a search index finds them when that changes. Like every index it may be stale and never misses a page that
 * was looked at.
 */
import { text } from '../pages/codec.js';
import { scanSteps } from '../scan-steps.js';
import { INDEX_COLUMNS } from '../schema.js';
import type { Store } from '../store.js';

/** A page, and the one that it names; both are row keys. */
export interface CanonicalLink {
  readonly page: string;
  readonly canonical: string;
}

/** The pages that name another one as canonical. */
export type Canonicals = ReturnType<typeof createCanonicals>;

const COLUMN = INDEX_COLUMNS.canonical;
const STEP = 1000;

// No row key holds a blank, and all that it holds comes after one.
const PREFIX = 'canonical ';
const noteKey = (canonical: string): string => `${PREFIX}${canonical}`;
const linkKey = ({ page, canonical }: CanonicalLink): string => `${noteKey(canonical)} ${page}`;

export function createCanonicals(store: Store) {
  return {
    /** Enters those that are missing. Call it before the other page is looked at. */
    async enter(links: readonly CanonicalLink[]): Promise<void> {
      if (links.length === 0) return;
      const keys = links.map(linkKey);
      const found = await store.get('meta', keys, [COLUMN]);
      const put = new Map([[COLUMN, text.encode('')]]);
      const missing = keys.filter((_, i) => !found[i]).map((key) => ({ key, put }));
      if (missing.length > 0) await store.write('meta', missing);
    },

    async remove(links: readonly CanonicalLink[]): Promise<void> {
      if (links.length > 0)
        await store.write(
          'meta',
          links.map((link) => ({ key: linkKey(link), clear: true })),
        );
    },

    /** The pages that name this one, in steps. */
    async *pagesOf(canonical: string): AsyncGenerator<string[]> {
      const start = `${noteKey(canonical)} `;
      const range = { start, end: `${noteKey(canonical)}!` };
      for await (const rows of scanSteps(store, 'meta', [COLUMN], [range], STEP)) {
        yield rows.map(({ key }) => key.slice(start.length));
      }
    },

    /** Everything that is entered, in steps: each link behind the note of its other page, where there is one, which has no `page`. */
    async *all(): AsyncGenerator<{ readonly canonical: string; readonly page?: string }[]> {
      const range = { start: PREFIX, end: 'canonical!' };
      for await (const rows of scanSteps(store, 'meta', [COLUMN], [range], STEP)) {
        yield rows.map(({ key }) => {
          const [canonical = '', page] = key.slice(PREFIX.length).split(' ');
          return page === undefined ? { canonical } : { canonical, page };
        });
      }
    },

    /** Of each page whether it stood in the place of those that name it; undefined where that was not noted. */
    async noted(canonicals: readonly string[]): Promise<(boolean | undefined)[]> {
      if (canonicals.length === 0) return [];
      const rows = await store.get('meta', canonicals.map(noteKey), [COLUMN]);
      return rows.map((row) => {
        const cell = row?.cells.get(COLUMN);
        return cell && text.decode(cell) === 'stands';
      });
    },

    /** Notes it; undefined removes the note. */
    async note(notes: ReadonlyMap<string, boolean | undefined>): Promise<void> {
      if (notes.size === 0) return;
      await store.write(
        'meta',
        [...notes].map(([canonical, stands]) => ({
          key: noteKey(canonical),
          clear: true,
          ...(stands !== undefined && { put: new Map([[COLUMN, text.encode(stands ? 'stands' : 'none')]]) }),
        })),
      );
    },

    /** Removes all of it. */
    async clear(): Promise<void> {
      const range = { start: 'canonical ', end: 'canonical!' };
      for await (const rows of scanSteps(store, 'meta', [COLUMN], [range], STEP)) {
        await store.write(
          'meta',
          rows.map(({ key }) => ({ key, clear: true })),
        );
      }
    },
  };
}
