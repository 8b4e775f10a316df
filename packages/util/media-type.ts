/** Splits the values of a header at commas outside quotes. A quotation that is not closed extends to the end. */
export function headerValues(header: string): string[] {
  return (header.match(/(?:[^",]|"(?:[^"\\]|\\.)*"?)+/gs) ?? []).map((value) => value.trim());
}

/**
 * Returns the media type in one value of `Content-Type`, in lower case without parameters (MIME Sniffing Standard, 4.4). Undefined if the
 * value has no media type, or one that means any type.
 */
export function mediaTypeOf(value: string): string | undefined {
  const type = /^\s*([!#$%&'*+.^_`|~\w-]+\/[!#$%&'*+.^_`|~\w-]+)\s*(?:;|$)/.exec(value)?.[1]?.toLowerCase();
  return type === '*/*' ? undefined : type;
}
