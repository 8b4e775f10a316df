import type { PageChange, PageRow } from '../pages/page.js';

/** The fields of a row that decide its entry in the frontier. */
export const FRONTIER_FIELDS = ['dueAt', 'score', 'marks', 'refusedBy'] as const;
/** A field that decides the entry of a row in the frontier. */
export type FrontierField = (typeof FRONTIER_FIELDS)[number];
export type FrontierRow = Omit<PageRow<FrontierField>, 'key' | 'damaged'>;

/** A change of any of these fields lifts a refusal. */
const REFUSAL_INPUTS = ['status', 'distance', 'sitemap'] as const;

/** Whether a batch holds a row. */
export const isHeld = ({ marks }: Pick<FrontierRow, 'marks'>): boolean => marks?.generate !== undefined;

/** Whether two states of a row need the same entry. */
export const isEnteredAlike = (a: FrontierRow, b: FrontierRow): boolean =>
  a.dueAt === b.dueAt && a.score === b.score && a.refusedBy === b.refusedBy && isHeld(a) === isHeld(b);

/** Returns the fields that decide the entry of a row, as they are after a change. */
export function rowAfter(before: FrontierRow | undefined, { set, unset, marks }: PageChange): FrontierRow {
  const held = marks?.generate;
  const generate = held === undefined ? before?.marks?.generate : (held ?? undefined);
  const dueAt = set?.dueAt ?? before?.dueAt;
  const score = set?.score ?? before?.score;
  const refusedBy = set?.refusedBy ?? (unset?.includes('refusedBy') ? undefined : before?.refusedBy);
  const after: { -readonly [K in keyof FrontierRow]: FrontierRow[K] } = {};
  if (dueAt !== undefined) after.dueAt = dueAt;
  if (score !== undefined) after.score = score;
  if (generate !== undefined) after.marks = { generate };
  if (refusedBy !== undefined) after.refusedBy = refusedBy;
  return after;
}

/** Extends the change of a refused row. If the change sets a field on which the refusal depends, it removes the refusal too. */
export function liftingRefusal(before: FrontierRow | undefined, change: PageChange): PageChange {
  if (before?.refusedBy === undefined || change.set?.refusedBy !== undefined) return change;
  const lifts = REFUSAL_INPUTS.some((field) => change.set?.[field] !== undefined);
  return lifts ? { ...change, unset: [...(change.unset ?? []), 'refusedBy'] } : change;
}
