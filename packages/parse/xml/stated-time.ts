const W3C = /^\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?)?)?$/;
const RFC_822 = /^(?:[a-z]{3,9}, *)?\d{1,2} [a-z]{3} \d{4} \d\d:\d\d/i;

/**
 * Reads a time in the forms of sitemaps (`2024-05-01T10:00:00Z`, `2024-05`) and feeds (`Wed, 01 May 2024 10:00:00 GMT`), in ms since the
 * epoch. A time without a zone is in UTC. Undefined: the text has another form.
 */
export function statedTime(text: string): number | undefined {
  const stated = text.trim();
  if (stated.length > 64) return undefined;
  const w3c = W3C.exec(stated);
  if (!w3c && !RFC_822.test(stated)) return undefined;
  const time = Date.parse(stated.includes('T') && w3c && w3c[1] === undefined ? `${stated}Z` : stated);
  return Number.isNaN(time) ? undefined : time;
}
