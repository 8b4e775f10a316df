/**
 * Returns a language tag in the form of BCP 47, also for a tag that is written as a locale (`en_US`). Undefined: it is not a language
 * tag, such as a list of tags.
 */
export function languageTag(tag: string | undefined): string | undefined {
  const trimmed = tag !== undefined && tag.length <= 64 ? tag.trim().replaceAll('_', '-') : '';
  return /^[a-z]{1,8}(?:-[a-z0-9]{1,8})*$/i.test(trimmed) ? trimmed : undefined;
}
