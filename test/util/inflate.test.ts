import { randomBytes } from 'node:crypto';
import { constants, createGunzip, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { inflate } from '../../packages/util/inflate.js';

const DATA = randomBytes(100_000);
const PACKED = gzipSync(DATA);

it('returns the whole output, and how much of the input it took', async () => {
  const { output, over, read, error } = await inflate(createGunzip(), PACKED, Infinity);
  expect(Buffer.compare(output, DATA)).toBe(0);
  expect({ over, read, error }).toEqual({ over: false, read: PACKED.length, error: undefined });
});

it('keeps no more than the limit, and nothing that is not wanted', async () => {
  const cut = await inflate(createGunzip(), PACKED, 1000);
  expect(Buffer.compare(cut.output, DATA.subarray(0, 1000))).toBe(0);
  expect(cut.over).toBe(true);
  const unwanted = await inflate(createGunzip(), PACKED, Infinity, () => false);
  expect([unwanted.output.length, unwanted.over]).toEqual([0, true]);
});

it('keeps the output before an error', async () => {
  const broken = Buffer.concat([PACKED.subarray(0, 60_000), Buffer.alloc(40_000)]);
  const { output, error } = await inflate(createGunzip({ chunkSize: 256 }), broken, Infinity);
  expect(error).toBeDefined();
  expect(output.length).toBeGreaterThan(50_000);
  expect(Buffer.compare(output.subarray(0, 50_000), DATA.subarray(0, 50_000))).toBe(0);
  const short = await inflate(createGunzip({ finishFlush: constants.Z_SYNC_FLUSH }), PACKED.subarray(0, 500), Infinity);
  expect(short.error).toBeUndefined();
});
