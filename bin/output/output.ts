import { figures, safeText } from '../../packages/webcrawl/names.js';
import type { Io, TextSink } from '../io.js';

/** Writes to a stream, and waits while it is full. */
export async function write(sink: TextSink, data: string | Uint8Array): Promise<void> {
  if (!sink.write(data)) await new Promise<void>((resolve) => sink.once('drain', resolve));
}

/** On a terminal, clears the current line. */
export const CLEAR_LINE = '\r\u001b[K';

/** A message for people, in place of a live line where there is one. Each line is made safe for a terminal. */
export function say({ stderr }: Pick<Io, 'stderr'>, text: string): void {
  stderr.write(`${stderr.isTTY ? CLEAR_LINE : ''}${safeLines(text)}\n`);
}

/** One JSON document on one line. What a terminal could mistake for a command is written as a JSON escape. */
export function jsonLine(value: unknown): string {
  return `${safeText(JSON.stringify(value), Infinity)}\n`;
}

/** The same for people, over several lines. */
export function prettyJson(value: unknown): string {
  return `${safeLines(JSON.stringify(value, null, 2), Infinity)}\n`;
}

/** Text made safe line by line, each cut to `max` characters. */
export function safeLines(text: string, max = 2000): string {
  return text
    .split('\n')
    .map((line) => safeText(line, max))
    .join('\n');
}

/** Text made safe on one line, cut to 1,000 characters: a line break in what others wrote must not begin a line of ours. */
export function oneLine(text: string): string {
  return safeText(text.replace(/[\r\n]+/g, ' '), 1000);
}

/** Columns aligned by spaces: the last is left as it is. */
export function table(rows: readonly (readonly string[])[], indent = ''): string {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, cell.length)));
  return rows
    .map((row) => row.map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i] ?? 0))).join('  '))
    .map((line) => `${indent}${line.trimEnd()}\n`)
    .join('');
}

export const { bytes, duration, number, quantity } = figures;
