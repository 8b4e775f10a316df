/** Returns the number of names in a prefix: 0 for `/`, 2 for `/news/2026/` and for `/news/list?`. */
export function depthOf(prefix: string): number {
  let names = 0;
  for (let at = prefix.indexOf('/', 1); at !== -1; at = prefix.indexOf('/', at + 1)) names += 1;
  return prefix.endsWith('?') ? names + 1 : names;
}
