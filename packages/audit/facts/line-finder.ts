/** Maximum number of bytes that are searched, as a multiple of the bytes of the page. After this, no line is found. */
const MAX_PASSES = 10;
/** The cost of a search that finds something at once, in bytes. */
const SEARCH_COST = 64;
/** What may stand before the value of an attribute, and after it. */
const BEFORE: ReadonlySet<number | undefined> = new Set(Buffer.from(`"'=`));
const AFTER: ReadonlySet<number | undefined> = new Set(Buffer.from(`"'> \t\r\n`));

/**
 * Makes a function that finds the line of an attribute's value in the source of a page. Call it for the values in page order. A value is not
 * found if other characters than `&` are escaped in the page. The work is bounded by the length of the page, whatever it holds.
 */
export function createLineFinder(content: Uint8Array): (value: string) => number {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  let left = MAX_PASSES * bytes.length;
  let at = 0;
  let line = 1;
  /** Whether the last `&` of a value was written as `&amp;`. Pages mostly write all of them in the same way. */
  let isEscaped = true;

  function find(written: string): number {
    const length = Buffer.byteLength(written);
    for (let from = at; left > 0;) {
      const found = bytes.indexOf(written, from);
      left -= SEARCH_COST + (found === -1 ? bytes.length : found) - from;
      if (found === -1 || (BEFORE.has(bytes[found - 1]) && AFTER.has(bytes[found + length]))) return found;
      from = found + 1;
    }
    return -1;
  }

  function findValue(value: string): number {
    if (!value.includes('&')) return find(value);
    const escaped = value.replaceAll('&', '&amp;');
    const found = find(isEscaped ? escaped : value);
    if (found !== -1) return found;
    const other = find(isEscaped ? value : escaped);
    if (other !== -1) isEscaped = !isEscaped;
    return other;
  }

  /** @returns the line, from 1 on; 0 if the value is not found as written */
  return (value) => {
    const found = value === '' ? -1 : findValue(value);
    if (found === -1) return 0;
    for (let end = bytes.indexOf(10, at); end !== -1 && end < found; end = bytes.indexOf(10, at)) {
      at = end + 1;
      line += 1;
    }
    at = found + 1;
    return line;
  };
}
