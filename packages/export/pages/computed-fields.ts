import type { Settings } from '../../../config/index.js';
import { urlOf, type Field, type JsonValue, type PageRow } from '../../../webtable/index.js';
import { dumpPage } from '../../jobs/index.js';
import { markdownField } from '../markdown/markdown-field.js';
import type { ColumnType } from './page-columns.js';
import type { ComputedFieldName } from './page-formats.js';

/** A field that no row holds, and that is worked out of a row when it is asked for. */
export interface ComputedField {
  /** The stored fields that it is worked out of. */
  readonly needs: readonly Field[];
  /** What it is in a format that has types. */
  readonly type: ColumnType;
  /**
   * Makes the function that works it out; undefined where a page has none.
   * @throws CrawlError MISSING_PACKAGE with the line that installs it, where a package is missing
   */
  readonly load: (settings: Settings) => Promise<(row: PageRow<Field>, url: string) => JsonValue | undefined>;
}

/** The computed fields by name; a new one is a line here. */
export const COMPUTED_FIELDS = { markdown: markdownField } as const satisfies Record<ComputedFieldName, ComputedField>;

/** What can be asked of a page: what its row holds, and what can be worked out of that. */
export type PageField = Field | ComputedFieldName;

/** How pages are read and shown: see {@link pageDump}. */
export interface PageDump {
  /** The stored fields to read. */
  readonly reads: readonly Field[];
  /** A row as plain JSON: as `dumpPage`, and then the computed fields. */
  dump(row: PageRow<Field>): Record<string, unknown>;
}

/**
 * What to read for some fields, stored and computed, and how to show a row that was read so.
 * @throws CrawlError as {@link ComputedField.load}
 */
export async function pageDump(settings: Settings, fields: readonly PageField[]): Promise<PageDump> {
  const stored = fields.filter((field): field is Field => !isComputed(field));
  const computed = [...new Set(fields.filter(isComputed))];
  const made = await Promise.all(
    computed.map(async (name) => ({ name, compute: await COMPUTED_FIELDS[name].load(settings) })),
  );
  const needs = computed.flatMap((name) => COMPUTED_FIELDS[name].needs);
  return {
    reads: [...new Set([...stored, ...needs])],
    dump(row) {
      const { damaged, ...page } = dumpPage(row, stored);
      for (const { name, compute } of made) {
        const value = compute(row, urlOf(row.key));
        if (value !== undefined) page[name] = value;
      }
      return damaged === undefined ? page : { ...page, damaged };
    },
  };
}

function isComputed(field: PageField): field is ComputedFieldName {
  return Object.hasOwn(COMPUTED_FIELDS, field);
}
