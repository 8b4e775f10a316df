/**
 * A URL by the WHATWG URL Standard, undefined for text that is none. In place of `URL.canParse`, which in Node 20 and 22
 * refuses text with letters like `é` once the engine has optimised the call.
 * @param base absolute, for text that is relative to it
 */
export function tryParseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
