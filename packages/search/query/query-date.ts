const DATE = /^(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?$/;

/**
 * Returns the start, in UTC, of a year, month or day such as `2026`, `2026-1` or `2026-01-31`, in ms since the epoch. Undefined for any
 * other text, and for a day that its month does not have.
 */
export function startOfDate(text: string): number | undefined {
  const [, year, month = '1', day = '1'] = DATE.exec(text) ?? [];
  if (year === undefined) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  const isReal = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
  return isReal ? date.getTime() : undefined;
}
