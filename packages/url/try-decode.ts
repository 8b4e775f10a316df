/** Decodes the percent-encoding of a part of a URL. Undefined: a `%` does not begin an escape, or the escapes are not UTF-8. */
export function tryDecode(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
