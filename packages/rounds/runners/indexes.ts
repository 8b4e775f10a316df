/** Parses a list of indexes in the notation of schedulers, such as `0,2-4`. */
export function indexesOf(text = ''): number[] {
  return text.split(',').flatMap((part) => {
    const [first = NaN, last = first] = part.split('-').map(Number);
    if (part === '' || Number.isNaN(first) || Number.isNaN(last)) return [];
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
}
