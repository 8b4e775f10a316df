import type { ContentLocation } from './content-store.js';

/** FROZEN. Writes one line for each location: `segment offset length`. All characters are ASCII. */
export function encodeLocations(locations: readonly ContentLocation[]): string {
  return locations.map(({ segment, offset, length }) => `${segment} ${offset} ${length}`).join('\n');
}

/** @throws Error if the bytes are not locations */
export function decodeLocations(bytes: Uint8Array): ContentLocation[] {
  const lines = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1').split('\n');
  return lines.map((line) => {
    const [, segment, offset, length] = /^(.+) (\d{1,15}) (\d{1,15})$/.exec(line) ?? [];
    if (segment === undefined) throw new Error('no location');
    return { segment, offset: Number(offset), length: Number(length) };
  });
}
