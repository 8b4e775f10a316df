import { createHash } from 'node:crypto';

/** Bytes that are always the same and do not compress. */
export function madeBytes(seed, size) {
  return createHash('shake256', { outputLength: Math.max(1, size) })
    .update(seed)
    .digest()
    .subarray(0, size);
}

/** The parts of the export: small ones, and one that is uploaded in two pieces. */
export const PARTS = { 'a.bin': 1000, 'sub/b.bin': 9_000_000, 'sub/c d.bin': 20, 'empty.bin': 0 };

/** Writes the parts. */
export async function writeMade(target) {
  for (const [name, size] of Object.entries(PARTS)) {
    const part = await target.part(name);
    await part.write(madeBytes(name, size), 1);
    await part.end();
  }
  return {};
}
