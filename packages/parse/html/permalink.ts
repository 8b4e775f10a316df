/**
 * Matches the text of a link from a heading or a term to itself, as generators of manuals add it: a sign, the character of an icon font, or
 * a space of no width.
 */
const SIGN = /^[\s\u200b]*(?:[¶#§\ue000-\uf8ff]|🔗\ufe0f?)?[\s\u200b]*$/u;
export const MAX_PERMALINK_BYTES = 16;

/** Whether a link is a permalink: a link to a part of a page whose only text is a sign. Such a sign is not part of the text. */
export function isPermalink(href: string | undefined, text: string): boolean {
  return href !== undefined && href.includes('#') && SIGN.test(text);
}
