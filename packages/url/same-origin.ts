const SLASH = 0x2f;

/**
 * Whether two URLs begin with the same scheme, host and port. If so, {@link hostOf} returns the same for both. The comparison creates no
 * strings.
 * @param a absolute and normalised, like `b`
 */
export function isSameOrigin(a: string, b: string): boolean {
  let slashes = 0;
  for (let at = 0; at < a.length; at++) {
    const code = a.charCodeAt(at);
    if (code !== b.charCodeAt(at)) return false;
    if (code === SLASH && ++slashes === 3) return true;
  }
  return false;
}
