export const MAX_ANCHOR = 80;
export const MAX_TEXT = 160;
/** Maximum length of a URL within the host. Longer URLs are dropped. */
export const MAX_URL = 2000;

export function short(text: string, most: number): string {
  return text
    .slice(0, 4 * most)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, most);
}
