/**
 * Parses a URL by the WHATWG URL Standard; undefined if the text is not a URL. It is used in place of `URL.canParse`: in Node 20 and 22,
 * `URL.canParse` refuses text with letters like `é` once the engine has optimised the call.
 * @param base absolute, for relative text
 */
export function tryParseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
