import { figures, safeText } from '../../packages/webcrawl/names.js';
import type { Io, TextSink } from '../io.js';

/** Writes to a stream, and waits until it accepts more data. */
export async function write(sink: TextSink, data: string | Uint8Array): Promise<void> {
  if (!sink.write(data)) await new Promise<void>((resolve) => sink.once('drain', resolve));
}

/** Clears the current line of a terminal. */
export const CLEAR_LINE = '\r\u001b[K';

/** Prints a message for people. On a terminal it replaces the live line, if there is one. Each line is made safe for a terminal. */
export function say({ stderr }: Pick<Io, 'stderr'>, text: string): void {
  stderr.write(`${stderr.isTTY ? CLEAR_LINE : ''}${safeLines(text)}\n`);
}

/** Returns a JSON document on one line. Control characters are written as JSON escapes. */
export function jsonLine(value: unknown): string {
  return `${safeText(JSON.stringify(value), Infinity)}\n`;
}

/** Returns a JSON document for people, over several lines. Control characters are written as JSON escapes. */
export function prettyJson(value: unknown): string {
  return `${safeLines(JSON.stringify(value, null, 2), Infinity)}\n`;
}

/** Makes text safe for a terminal line by line, each cut to `max` characters. */
export function safeLines(text: string, max = 2000): string {
  return text
    .split('\n')
    .map((line) => safeText(line, max))
    .join('\n');
}

/** Makes text safe on one line, cut to 1,000 characters. A line break in untrusted text could otherwise look like a line of the program. */
export function oneLine(text: string): string {
  return safeText(text.replace(/[\r\n]+/g, ' '), 1000);
}

/** Aligns columns by spaces. The last column is not padded. */
export function table(rows: readonly (readonly string[])[], indent = ''): string {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, cell.length)));
  return rows
    .map((row) => row.map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i] ?? 0))).join('  '))
    .map((line) => `${indent}${line.trimEnd()}\n`)
    .join('');
}

export const { bytes, duration, number, quantity } = figures;
