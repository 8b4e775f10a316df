/** The numbers in a list as schedulers write it: `0,2-4`. */
export function indexesOf(text = ''): number[] {
  return text.split(',').flatMap((part) => {
    const [first = NaN, last = first] = part.split('-').map(Number);
    if (part === '' || Number.isNaN(first) || Number.isNaN(last)) return [];
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
}
