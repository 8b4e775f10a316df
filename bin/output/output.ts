import { Help } from 'commander';
import { figures, safeText } from '../../packages/webcrawl/names.js';
import type { Io, TextSink } from '../io.js';

export async function write(sink: TextSink, data: string | Uint8Array): Promise<void> {
  if (!sink.write(data)) await new Promise<void>((resolve) => sink.once('drain', resolve));
}

export const CLEAR_LINE = '\r\u001b[K';

/**
 * Prints a message for people. On a terminal it replaces the live line, if there is one, and is wrapped between words. Each line is made
 * safe for a terminal.
 */
export function say({ stderr }: Pick<Io, 'stderr'>, text: string): void {
  stderr.write(`${stderr.isTTY ? CLEAR_LINE : ''}${wrapLines(safeLines(text), stderr.columns ?? Infinity)}\n`);
}

export function lineWidth({ stdout, env }: Pick<Io, 'stdout' | 'env'>): number {
  return stdout.columns ?? (Number(env.COLUMNS) || 100);
}

/** Wraps lines between words. The last column of a list keeps its indentation. */
export function wrapLines(text: string, width: number): string {
  const help = Object.assign(new Help(), { minWidthToWrap: 20 });
  const wrapped = text.split('\n').map((line) => {
    const hang = hangOf(line);
    return line.slice(0, hang) + help.boxWrap(line.slice(hang), width - hang).replaceAll('\n', `\n${' '.repeat(hang)}`);
  });
  return wrapped.join('\n');
}

/** Returns the indentation with which a line continues: that of its last column, of the text of a list item, or of the line. */
export function hangOf(line: string): number {
  return /^ +(- +|(\S+( \S+)* {2,})+)?|^/.exec(line)![0].length;
}

/** Returns a JSON document on one line. Control characters are written as JSON escapes. */
export function jsonLine(value: unknown): string {
  return `${safeText(JSON.stringify(value), Infinity)}\n`;
}

/** Returns a JSON document for people, over several lines. Control characters are written as JSON escapes. */
export function prettyJson(value: unknown): string {
  return `${safeLines(JSON.stringify(value, null, 2), Infinity)}\n`;
}

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

export const { bytes, duration, number, quantity } = figures;
