/** Decodes the percent-encoding of a part of a URL. A wrong encoding stays as it is. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
