/**
 * Removes spaces and tabs around a header value (RFC 9110, section 5.5). `trim` would also remove other characters, such as the byte A0 at
 * the end of a UTF-8 letter.
 */
export function trimBlanks(value: string): string {
  const isBlank = (at: number): boolean => value[at] === ' ' || value[at] === '\t';
  let start = 0;
  let end = value.length;
  while (start < end && isBlank(start)) start++;
  while (end > start && isBlank(end - 1)) end--;
  return value.slice(start, end);
}

/** Splits the values of a header at commas outside quotes. A quotation that is not closed extends to the end. */
export function headerValues(header: string): string[] {
  return (header.match(/(?:[^",]|"(?:[^"\\]|\\.)*"?)+/gs) ?? []).map(trimBlanks);
}

/**
 * Returns the media type in one value of `Content-Type`, in lower case without parameters (MIME Sniffing Standard, 4.4). Undefined if the
 * value has no media type, or one that means any type.
 */
export function mediaTypeOf(value: string): string | undefined {
  const type = /^\s*([!#$%&'*+.^_`|~\w-]+\/[!#$%&'*+.^_`|~\w-]+)\s*(?:;|$)/.exec(value)?.[1]?.toLowerCase();
  return type === '*/*' ? undefined : type;
}
