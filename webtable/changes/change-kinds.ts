/** The kinds of changes of a page. */
export const CHANGE_KINDS = [
  'new',
  'gone',
  'back',
  'content',
  'title',
  'description',
  'redirect',
  'canonical',
  'noindex',
  'status',
  'links',
  'reordered',
  'bytes',
] as const;

/** The kind of a change of a page. */
export type ChangeKind = (typeof CHANGE_KINDS)[number];
