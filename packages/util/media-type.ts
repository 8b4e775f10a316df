/** The values of a header, divided at commas that are not in quotes; a quote that is not closed goes to the end. */
export function headerValues(header: string): string[] {
  return (header.match(/(?:[^",]|"(?:[^"\\]|\\.)*"?)+/gs) ?? []).map((value) => value.trim());
}

/**
 * The media type that one value of `Content-Type` holds, in lower case without parameters (MIME Sniffing Standard, 4.4).
 * Undefined where there is none, or any.
 */
export function mediaTypeOf(value: string): string | undefined {
  const type = /^\s*([!#$%&'*+.^_`|~\w-]+\/[!#$%&'*+.^_`|~\w-]+)\s*(?:;|$)/.exec(value)?.[1]?.toLowerCase();
  return type === '*/*' ? undefined : type;
}
