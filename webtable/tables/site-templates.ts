/**
 * The templates of sites, from which the main content of pages is found. A site is an origin (host, scheme and port), or the first folder of
 * one. It is named by the start of the row keys of its pages. A lost template does no harm, because it is learned again.
 */
import { json, readableValue } from '../pages/codec.js';
import type { JsonValue } from '../pages/page.js';
import { scanRows } from '../scan-steps.js';
import { INDEX_COLUMNS } from '../schema.js';
import type { KeyRange, Store, StoredRow } from '../store.js';
import type { Exclusive } from '../../packages/util/index.js';
import { changeShared } from '../change-shared.js';

/** A page from which a template was learned. */
export interface SampledPage {
  /** A hash of the row key. */
  readonly id: string;
  readonly signature: string;
  /** A hash of the layout of the page. */
  readonly layout: number;
}

export interface StoredSite {
  /** The version of the rule by which the template was learned. */
  readonly rule: number;
  /** How often the template has changed. It never becomes lower, except after a damaged record. */
  readonly number: number;
  /** When the template was learned, or removed, in ms since the epoch. */
  readonly learnedAt: number;
  /** When the reader that learned or removed the template began, in ms since the epoch. All its pages are read by this template. */
  readonly readerBegan: number;
  /** The pages from which the template was learned, in the order of their ids. */
  readonly sample: readonly SampledPage[];
  /** Absent: the template was removed, because the site has too few pages. */
  readonly template?: JsonValue;
}

export type SiteTemplates = ReturnType<typeof createSiteTemplates>;

const COLUMN = INDEX_COLUMNS.siteTemplate;
const STEP = 50;
// No row key contains a blank, so all keys with this prefix sort together.
const PREFIX = 'site ';
const codec = json<StoredSite>(isStoredSite);

/** Returns the range of all keys that start with the name of a site. */
export function rangeOfSite(site: string): Required<KeyRange> {
  // A name ends with `/`.
  return { start: site, end: `${site.slice(0, -1)}0` };
}

/** Returns the names of the two sites to which a page may belong. `folder` is absent for a page in no folder. */
export function sitesOfPage(rowKey: string): { readonly origin: string; readonly folder?: string } {
  const pathStart = rowKey.indexOf('/') + 1;
  const origin = rowKey.slice(0, pathStart);
  const folderEnd = rowKey.indexOf('/', pathStart) + 1;
  const queryStart = rowKey.indexOf('?', pathStart);
  if (folderEnd === 0 || (queryStart >= 0 && queryStart < folderEnd)) return { origin };
  return { origin, folder: rowKey.slice(0, folderEnd) };
}

export function createSiteTemplates(store: Store, exclusive: Exclusive) {
  async function get(names: readonly string[]): Promise<(StoredSite | undefined)[]> {
    const rows = await store.get('meta', names.map(keyOf), [COLUMN]);
    return rows.map(siteIn);
  }
  return {
    /** Returns a site by its name; undefined if it is not stored, or damaged. */
    get: async (name: string): Promise<StoredSite | undefined> => (await get([name]))[0],

    /** Returns the site with a stored template that a page belongs to: its folder, else its origin. */
    async ofPage(rowKey: string): Promise<{ readonly name: string; readonly stored: StoredSite } | undefined> {
      const { origin, folder } = sitesOfPage(rowKey);
      const names = folder === undefined ? [origin] : [folder, origin];
      const found = await get(names);
      const at = found.findIndex((stored) => stored?.template !== undefined);
      return at < 0 ? undefined : { name: names[at]!, stored: found[at]! };
    },

    /** Yields the stored sites of an origin: itself and its folders. */
    async *within(origin: string): AsyncGenerator<{ readonly name: string; readonly stored: StoredSite }> {
      const { start, end } = rangeOfSite(origin);
      const range = { start: keyOf(start), end: keyOf(end) };
      for await (const row of scanRows(store, 'meta', [COLUMN], [range], STEP)) {
        const stored = siteIn(row);
        if (stored) yield { name: row.key.slice(PREFIX.length), stored };
      }
    },

    /**
     * Changes a site. If another process has changed it meanwhile, `decide` is called again.
     * @param decide gets what is stored now, and returns what to store; undefined leaves it as it is
     * @returns what is stored then
     */
    async change(
      name: string,
      decide: (stored: StoredSite | undefined) => StoredSite | undefined,
    ): Promise<StoredSite | undefined> {
      let after: StoredSite | undefined;
      await changeShared(store, exclusive, { table: 'meta', keys: [keyOf(name)], column: COLUMN }, (_, row) => {
        const stored = siteIn(row);
        const decided = decide(stored);
        after = decided ?? stored;
        return decided && { put: new Map([[COLUMN, codec.encode(decided)]]) };
      });
      return after;
    },
  };
}

const keyOf = (name: string): string => `${PREFIX}${name}`;

const siteIn = (row: StoredRow | undefined): StoredSite | undefined => readableValue(row, COLUMN, codec);

function isStoredSite(value: unknown): boolean {
  const { rule, number, learnedAt, readerBegan, sample } = value as StoredSite;
  return (
    [rule, number, learnedAt, readerBegan].every(Number.isFinite) &&
    sample.every(
      ({ id, signature, layout }) =>
        typeof id === 'string' && typeof signature === 'string' && typeof layout === 'number',
    )
  );
}
