/**
 * Maximum number of searches without a result; then the search for lines stops, because each such search reads to the end. A value is not
 * found if other characters than `&` are escaped in the page.
 */
const MOST_MISSES = 50;

/** Makes a function that finds the line of a value in the source of a page. Call it for the values in page order. */
export function createLineFinder(content: Uint8Array): (value: string) => number {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  let at = 0;
  let line = 1;
  let misses = 0;
  /** @returns the line, from 1 on; 0 if the value is not found as written */
  return (value) => {
    if (value === '' || misses >= MOST_MISSES) return 0;
    let found = -1;
    for (const written of new Set([value.replaceAll('&', '&amp;'), value])) {
      for (const text of [`"${written}"`, `'${written}'`, `=${written}`])
        if (found === -1) found = bytes.indexOf(text, at);
    }
    if (found === -1) {
      misses += 1;
      return 0;
    }
    for (let end = bytes.indexOf(10, at); end !== -1 && end < found; end = bytes.indexOf(10, at)) {
      at = end + 1;
      line += 1;
    }
    at = found;
    return line;
  };
}
