/**
 * Makes untrusted text safe for a terminal or a log line. Control characters, bidirectional overrides and line breaks become visible
 * escapes. The text is cut to `max` characters.
 */
export function safeText(text: string, max = 200): string {
  const cut = text.length > max ? `${text.slice(0, max)}…` : text;

  return cut.replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, (c) => {
    return `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
