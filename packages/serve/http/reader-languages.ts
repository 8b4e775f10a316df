const MAX_LANGUAGES = 10;

/**
 * Returns the languages of a reader, as primary subtags in lower case, the best one first.
 * @param header `Accept-Language` (RFC 9110, section 12.5.4)
 * @param named the language that the reader has chosen; if given, the header is ignored
 */
export function readerLanguages(header: string | undefined, named?: string): readonly string[] {
  if (named !== undefined) return [named];
  const ranges = (header ?? '')
    .slice(0, 1000)
    .split(',')
    .flatMap((range) => {
      const [, name, weight = '1'] =
        /^\s*([a-z]{2,3})(?:-[a-z0-9-]+)?\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?))?\s*$/i.exec(range) ?? [];
      return name === undefined || Number(weight) === 0 ? [] : [{ name: name.toLowerCase(), weight: Number(weight) }];
    });
  const sorted = ranges.toSorted((a, b) => b.weight - a.weight);
  return [...new Set(sorted.map(({ name }) => name))].slice(0, MAX_LANGUAGES);
}
