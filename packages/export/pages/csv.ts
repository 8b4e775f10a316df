/**
 * Writes one record of CSV by RFC 4180: fields separated by commas, in quotes if needed, and a CR LF at the end. Text and numbers are
 * written unchanged. Absent values are empty. Nested values are JSON.
 */
export function csvRecord(values: readonly unknown[]): string {
  return `${values.map(cellOf).join(',')}\r\n`;
}

/** Whether a spreadsheet may read a value as a formula. Those of East Asia also accept full-width signs. */
export function looksLikeFormula(value: unknown): boolean {
  return typeof value === 'string' && /^[=+\-@\t\r\n＝＋－＠]/.test(value);
}

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
