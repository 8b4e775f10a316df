/**
 * Copies a text that was cut out of a longer one. Without the copy, V8 keeps the whole longer text in memory, so a snippet would keep the
 * whole text of its page in memory.
 */
export function ownText(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
