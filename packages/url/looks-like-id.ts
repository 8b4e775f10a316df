/** Minimum length of an id. Shorter values may be words or numbers of things. */
const MIN_LENGTH = 12;
/** Minimum number of changes between letters and digits in a value; `a1b2` has three. A word with a number has one or two. */
const MIN_CHANGES = 3;

const SIGNS = /^[\w.~!*-]+$/;
const CHANGE = /[a-z](?=\d)|\d(?=[a-z])/gi;

/** Whether a value looks like a random id: it is long, and mixes letters and digits without order. */
export function looksLikeId(value: string): boolean {
  if (value.length < MIN_LENGTH || !SIGNS.test(value)) return false;
  const changes = value.slice(0, 100).match(CHANGE)?.length ?? 0;
  return changes >= MIN_CHANGES;
}
