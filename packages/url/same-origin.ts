const SLASH = 0x2f;

/**
 * Whether two URLs begin with the same scheme, host and port, so that {@link hostOf} says the same of both. It makes no text of them.
 * @param a absolute and normalised, as `b` is
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
