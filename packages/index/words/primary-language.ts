/** The primary part of a language tag, in lower case. Empty: no tag is given. */
export function primaryLanguage(tag: string | undefined): string {
  return /^[a-z]{2,3}(?![a-z0-9])/i.exec(tag ?? '')?.[0].toLowerCase() ?? '';
}
