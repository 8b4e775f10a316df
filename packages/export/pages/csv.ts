/**
 * One record of CSV by RFC 4180: fields by commas, in quotes where they need them, the end CR LF. Text and numbers stand as
 * they are; what is absent is empty, and what is nested is JSON.
 */
export function csvRecord(values: readonly unknown[]): string {
  return `${values.map(cellOf).join(',')}\r\n`;
}

/** Whether a spreadsheet may take a value for a formula. */
export function looksLikeFormula(value: unknown): boolean {
  return typeof value === 'string' && /^[=+\-@\t\r]/.test(value);
}

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
