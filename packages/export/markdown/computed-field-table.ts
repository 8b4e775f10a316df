import type { Field, Settings } from '../../core/index.js';
import { mainTextField, markdownField } from './markdown-field.js';
import type { ColumnType } from '../pages/page-columns.js';
import type { ComputedFieldName } from '../pages/page-formats.js';
import type { PageView } from '../stated/page-view.js';
import { statedFields } from '../stated/stated-fields.js';

/** A field that is not stored in rows. It is computed from a row on request. */
export interface ComputedField {
  /** The stored fields from which the field is computed. */
  readonly needs: readonly Field[];
  /** The type of the field in formats that have types. */
  readonly type: ColumnType;
  /**
   * Makes the function that computes the field. That function returns plain JSON, or undefined for a page without a value. It reads the
   * tree `view.document()`, which all fields share. A field that changes the tree must get the tree from `view.takeDocument()`, and must be
   * last in the table below.
   * @throws CrawlError MISSING_PACKAGE if a package is missing. The hint is the command that installs the package
   */
  readonly load: (settings: Settings) => Promise<(view: PageView) => object | string | number | undefined>;
}

/** The computed fields by name, in the order of computation. To add a field, add a line here. */
export const COMPUTED_FIELDS = {
  ...statedFields,
  mainText: mainTextField,
  markdown: markdownField,
} as const satisfies Record<ComputedFieldName, ComputedField>;
