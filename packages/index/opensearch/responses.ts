import { unexpectedResponse } from './errors.js';

/** Reads parts of a response. The response may have any content, because a proxy or another program may have made it. */
export type ResponseReader = ReturnType<typeof responseReader>;

/**
 * @param name the name of the index, for messages
 * @param expected the expected content of the response, for messages
 */
export function responseReader(name: string, expected: string) {
  const bad = (): never => {
    throw unexpectedResponse(name, expected);
  };
  return {
    /**
     * Returns a number, which may also be written as text.
     * @throws CrawlError STORE_FAILED for any other value
     */
    number(value: unknown, byDefault: number): number {
      if (value === undefined || value === null) return byDefault;
      const isNumber = typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');
      const found = Number(value);
      return isNumber && Number.isFinite(found) ? found : bad();
    },
    /** @throws CrawlError STORE_FAILED for a value that is not a text */
    text: (value: unknown): string => (typeof value === 'string' ? value : bad()),
    /** @throws CrawlError STORE_FAILED for a value that is not a list of objects */
    list: (value: unknown): readonly Readonly<Record<string, unknown>>[] =>
      Array.isArray(value) && value.every(isObject) ? value : bad(),
    /** Returns a part of an object. Undefined: the value is not an object, or has no such part. */
    at: (value: unknown, ...path: readonly (string | number)[]): unknown =>
      path.reduce<unknown>(
        (found, part) => (isObject(found) && Object.hasOwn(found, part) ? found[part] : undefined),
        value,
      ),
  };
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
