import { randomBytes } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { compress, decompress, isStored, memberLength, store } from '../../../webtable/content/gzip-member.js';

const BLOCK = 65_535;
const bytes = Buffer.from(Array.from({ length: 2 * BLOCK + 10 }, (_, i) => (i * 31) % 251));

it.each([0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 2 * BLOCK + 1])(
  'stores %i bytes as one member, whatever its parts are',
  async (length) => {
    const record = bytes.subarray(0, length);
    for (const cuts of [[], [0], [1], [BLOCK], [7, 8], [BLOCK - 1, BLOCK + 1], [100, BLOCK, 2 * BLOCK]]) {
      const parts: Uint8Array[] = [0, ...cuts].map((from, i) => record.subarray(from, cuts[i]));
      // An empty part, as from a page without a body.
      parts.splice(1, 0, new Uint8Array(new ArrayBuffer(0)));
      const stored = store(parts);
      const member = Buffer.concat(stored);
      // The bytes of the record are not copied.
      for (const part of stored) expect(part.buffer === record.buffer || part.length <= 10).toBe(true);
      // gunzip verifies the checksum and the length too.
      expect(gunzipSync(member).equals(record)).toBe(true);
      expect(memberLength(Buffer.concat([member, member]))).toBe(member.length);
      expect(isStored(member)).toBe(true);
      expect(await decompress(member)).toEqual(record);
      const blocks = Math.max(1, Math.ceil(length / BLOCK));
      expect(member.length).toBe(10 + 5 * blocks + length + 8);
    }
  },
);

it('does not read a stored member with a flipped bit, or with bytes missing or added', async () => {
  const member = Buffer.concat(store([bytes.subarray(0, BLOCK + 100)]));
  for (const at of [0, 1, 10, 11, 13, 100, 15 + BLOCK, 16 + BLOCK, member.length - 8, member.length - 1]) {
    const flipped = Buffer.from(member);
    flipped[at]! ^= 2;
    expect(await decompress(flipped), `byte ${at}`).toBeUndefined();
  }
  expect(await decompress(member.subarray(0, -1))).toBeUndefined();
  expect(await decompress(member.subarray(0, 12))).toBeUndefined();
});

it('reads a compressed member of bytes that cannot be compressed', async () => {
  const noise = randomBytes(3 * BLOCK);
  expect(await decompress(await compress(Buffer.concat([noise, bytes])))).toEqual(Buffer.concat([noise, bytes]));
});
