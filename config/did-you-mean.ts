/** Removes letter case, dots, dashes and underscores from a key, to compare keys: `generate.max.count` equals `generate.maxCount`. */
export function foldKey(key: string): string {
  return key.toLowerCase().replace(/[._-]/g, '');
}

/**
 * Returns the key that was probably meant: one that differs by at most `max` letters, but not by all. Default of `max`: a fifth of the word,
 * at least 2. It also finds a setting that is written without its section.
 */
export function didYouMean(wrong: string, keys: readonly string[], max?: number): string | undefined {
  const word = foldKey(wrong).slice(0, 100);
  const limit = max ?? Math.max(2, Math.floor(word.length / 5));
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const key of keys) {
    const meant = foldKey(key);
    const distance = editDistance(word, meant);
    if (distance < Math.min(bestDistance, meant.length)) [best, bestDistance] = [key, distance];
  }
  if (best !== undefined || max !== undefined) return best;
  const last = foldKey(wrong.slice(wrong.lastIndexOf('.') + 1));
  for (const key of keys) if (foldKey(key.slice(key.lastIndexOf('.') + 1)) === last) return key;
  return undefined;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
