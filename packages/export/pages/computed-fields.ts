import { type Settings, type Field, type PageRow } from '../../core/index.js';
import { dumpPage, type PublicField } from '../../answers/index.js';
import { COMPUTED_FIELDS } from '../markdown/computed-field-table.js';
import { pageView, type CountSkipped } from '../stated/page-view.js';
import { COMPUTED_FIELD_NAMES, type ComputedFieldName } from './page-formats.js';

/** A field of a page: stored in its row, or computed from it. */
export type PageField = PublicField | ComputedFieldName;

/** Reads and shows pages: see {@link pageDump}. */
export interface PageDump {
  /** The stored fields to read. */
  readonly reads: readonly Field[];
  /**
   * Returns a row as plain JSON: the result of `dumpPage`, then the computed fields. `count` is called for data that the computed fields
   * skip.
   */
  dump(row: PageRow<Field>, count?: CountSkipped): Record<string, unknown>;
}

/** The values of computed fields. */
export type ComputedValues<F extends ComputedFieldName> = {
  readonly [K in F]?: NonNullable<ReturnType<Awaited<ReturnType<(typeof COMPUTED_FIELDS)[K]['load']>>>>;
};

export function needsMainContent(fields: readonly (Field | ComputedFieldName)[]): boolean {
  return fields.includes('markdown') || fields.includes('mainText');
}

/** @throws CrawlError as `ComputedField.load` */
export async function computedOf<F extends Field | ComputedFieldName>(settings: Settings, fields: readonly F[]) {
  // Keeps the order of the table: a field that changes the tree of the page comes last.
  const computed = COMPUTED_FIELD_NAMES.filter((name) => (fields as readonly string[]).includes(name));
  const made = await Promise.all(
    computed.map(async (name) => ({ name, compute: await COMPUTED_FIELDS[name].load(settings) })),
  );
  return {
    stored: fields.filter((field): field is Extract<F, Field> => !isComputed(field)),
    needs: computed.flatMap((name): readonly Field[] => COMPUTED_FIELDS[name].needs),
    /** Returns the values of the computed fields for a row. Missing values are left out. All texts are well-formed Unicode. */
    valuesOf(row: PageRow<Field>, count?: CountSkipped): ComputedValues<Extract<F, ComputedFieldName>> {
      const view = pageView(row, settings, count);
      const values = made.map(({ name, compute }) => [name, view.within(() => wellFormed(compute(view)))] as const);
      return Object.fromEntries(values.filter(([, value]) => value !== undefined)) as ComputedValues<
        Extract<F, ComputedFieldName>
      >;
    },
  };
}

/**
 * Returns the stored fields to read for some stored and computed fields, and the function that turns a row with these fields into plain
 * JSON.
 * @throws CrawlError as `ComputedField.load`
 */
export async function pageDump(settings: Settings, fields: readonly PageField[]): Promise<PageDump> {
  const { stored, needs, valuesOf } = await computedOf(settings, fields);
  return {
    reads: [...new Set([...stored, ...needs])],
    dump(row, count) {
      const { damaged, ...page } = dumpPage(row, stored);
      Object.assign(page, valuesOf(row, count));
      return damaged === undefined ? page : { ...page, damaged };
    },
  };
}

/**
 * Replaces unpaired surrogates in the texts and names of plain JSON by U+FFFD. JSON-LD may have them, and a cut may leave one. Many programs
 * refuse a whole file of JSON with one of them.
 */
function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/\p{Surrogate}/gu, '\ufffd');
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [wellFormed(name), wellFormed(inner)]));
}

function isComputed(field: Field | ComputedFieldName): field is ComputedFieldName {
  return Object.hasOwn(COMPUTED_FIELDS, field);
}
