/** A Chinese, Japanese or Korean character has two columns. */
export const MIN_PROSE_COLUMNS = 60;

const SPACE = 0x20;
/** Characters that may directly follow a comma or a stop. */
const CLOSING = new Set(Buffer.from('"\')]'));
const STOPS = new Set(Buffer.from(',.;!?'));
/** Commas and stops outside ASCII. */
const OTHER_STOPS = new Set(Array.from('…،؛؟۔।॥၊။។։።፣、。，．！？；｡､', (sign) => sign.codePointAt(0)!));
/** The range of Thai and Lao. These scripts have blanks instead of signs between sentences. */
const [THAI, BEHIND_LAO] = [0xe00, 0xf00];

/** Whether a part of a text in UTF-8 is long enough for prose and has a comma or a stop. Reading ends as soon as this is known. */
export function isProse(bytes: Uint8Array, start: number, end: number): boolean {
  let columns = 0;
  let hasStop = false;
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    if (byte < 0x80) {
      columns++;
      if (!hasStop && byte < 0x40 && STOPS.has(byte)) hasStop = at + 1 === end || isBehindStop(bytes[at + 1]!);
    } else if (byte >= 0xc0) {
      columns += byte >= 0xe3 ? 2 : 1;
      if (!hasStop && byte < 0xf0) hasStop = isOtherStop(codePointAt(bytes, at));
    }
    if (hasStop && columns >= MIN_PROSE_COLUMNS) return true;
  }
  return false;
}

function isBehindStop(byte: number): boolean {
  return byte === SPACE || CLOSING.has(byte);
}

function isOtherStop(character: number): boolean {
  return (character >= THAI && character < BEHIND_LAO) || OTHER_STOPS.has(character);
}

/** The code point of a character of two or three bytes in UTF-8. */
function codePointAt(bytes: Uint8Array, at: number): number {
  const byte = bytes[at]!;
  if (byte < 0xe0) return ((byte & 0x1f) << 6) | (bytes[at + 1]! & 0x3f);
  return ((byte & 0x0f) << 12) | ((bytes[at + 1]! & 0x3f) << 6) | (bytes[at + 2]! & 0x3f);
}
