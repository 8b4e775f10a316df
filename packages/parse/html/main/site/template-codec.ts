import type { JsonValue } from '../../../../../webtable/index.js';
import type { Layout, Place, SiteTemplate } from './site-template.js';

/** The version of the rule that learns and applies templates. Increase it with every change of this rule: all templates are then learned again. */
export const TEMPLATE_RULE = 1;
const MAX_PLACES = 2000;
/** Logits and shares keep three decimals. */
const SCALE = 1000;

type PackedPlace = readonly [hash: number, logit: number, pages: number];

interface PackedTemplate {
  readonly pages: number;
  readonly manuals: number;
  readonly isManual: boolean;
  /** For each number of pages, the class names on this number of pages, separated by blanks. */
  readonly classes: readonly (readonly [pages: number, names: string])[];
  readonly repeated: readonly (readonly [pages: number, hashes: readonly number[]])[];
  readonly layouts: readonly {
    readonly hash: number;
    readonly pages: number;
    readonly refused: number;
    readonly isArticles: boolean;
    readonly places: readonly PackedPlace[];
  }[];
}

/**
 * Returns a template as plain JSON of bounded size, usually 2 to 8 kB. Numbers are rounded, and rare places may be left out. So apply a
 * new template only after {@link unpackTemplate}: then a page is read in the same way when the template comes from the table.
 */
export function packTemplate({ pages, manuals, isManual, classes, repeated, layouts }: SiteTemplate): JsonValue {
  const articles = [...layouts.values()].filter((layout) => layout.isArticles).length;
  const maxPlaces = Math.floor(MAX_PLACES / Math.max(articles, 1));
  const packed: PackedTemplate = {
    pages,
    manuals,
    isManual,
    classes: byPages(classes).map(([count, names]) => [count, names.join(' ')]),
    repeated: byPages(repeated),
    layouts: [...layouts].map(([hash, layout]) => ({
      hash,
      pages: layout.pages,
      refused: Math.round(layout.refused * SCALE),
      isArticles: layout.isArticles,
      // The most frequent places come first.
      places: [...layout.places]
        .slice(0, maxPlaces)
        .map(([place, { logit, pages: count }]) => [place, Math.round(logit * SCALE), count]),
    })),
  };
  return packed as unknown as JsonValue;
}

/** Returns the template that {@link packTemplate} packed. Undefined: the JSON is damaged, or there is none. */
export function unpackTemplate(json: JsonValue | undefined): SiteTemplate | undefined {
  try {
    const { pages, manuals, isManual, classes, repeated, layouts } = json as unknown as PackedTemplate;
    const template: SiteTemplate = {
      pages: finite(pages),
      manuals: finite(manuals),
      isManual: boolean(isManual),
      classes: new Map(classes.flatMap(([count, names]) => names.split(' ').map((name) => [name, finite(count)]))),
      repeated: new Map(repeated.flatMap(([count, hashes]) => hashes.map((hash) => [finite(hash), finite(count)]))),
      layouts: new Map(layouts.map((layout) => [finite(layout.hash), layoutOf(layout)])),
    };
    return template;
  } catch {
    return undefined;
  }
}

function layoutOf({ pages, refused, isArticles, places }: PackedTemplate['layouts'][number]): Layout {
  const found = places.map(([hash, logit, count]): [number, Place] => [
    finite(hash),
    { logit: finite(logit) / SCALE, pages: finite(count) },
  ]);
  return {
    pages: finite(pages),
    refused: finite(refused) / SCALE,
    isArticles: boolean(isArticles),
    places: new Map(found),
  };
}

function byPages<T>(counts: ReadonlyMap<T, number>): [pages: number, keys: T[]][] {
  const groups = new Map<number, T[]>();
  for (const [key, pages] of counts) {
    const group = groups.get(pages);
    if (group) group.push(key);
    else groups.set(pages, [key]);
  }
  return [...groups];
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw new TypeError('no number');
  return value;
}

function boolean(value: boolean): boolean {
  if (typeof value !== 'boolean') throw new TypeError('no boolean');
  return value;
}
