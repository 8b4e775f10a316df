import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { decodeBody, encodedLimit, unsupportedCoding } from '../../../packages/fetch/http/content-coding.js';
import { zstdCompressSync } from '../../support/zstd.js';

const short = Buffer.from('<p>hello hello hello</p>');
/** Hardly compressible, and longer than one step of decoding. */
const long = Buffer.from(
  Array.from({ length: 40_000 }, (_, i) => Math.imul(i + 1, 0x9e3779b1) >>> 0)
    .map((n) => n.toString(36))
    .join(' '),
);
/** As fast as possible, since the quality does not matter to a decoder. */
const brotli = (content: Uint8Array): Buffer =>
  brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
const encoders = {
  gzip: gzipSync,
  'x-gzip': gzipSync,
  deflate: deflateSync,
  br: brotli,
  ...(zstdCompressSync && { zstd: (content: Uint8Array) => zstdCompressSync?.(content) ?? Buffer.alloc(0) }),
};
const text = (body: Uint8Array): string => Buffer.from(body).toString('latin1');

describe.each(Object.entries(encoders))('%s', (coding, encode) => {
  it.each([short, long])('is decoded', async (content) => {
    const { body, truncated } = await decodeBody(encode(content), ` ${coding.toUpperCase()} `, 1e7, false);
    expect(Buffer.compare(body, content)).toBe(0);
    expect(truncated).toBe(false);
  });

  it.each([short, long])('is cut at the limit', async (content) => {
    const { body, truncated } = await decodeBody(encode(content), coding, 10, false);
    expect(text(body)).toBe(text(content.subarray(0, 10)));
    expect(truncated).toBe(true);
  });

  it('is complete if it is as long as the limit', async () => {
    const { body, truncated } = await decodeBody(encode(long), coding, long.length, false);
    expect([body.length, truncated]).toEqual([long.length, false]);
  });

  it('has no limit with -1', async () => {
    const { body, truncated } = await decodeBody(encode(long), coding, -1, false);
    expect([body.length, truncated]).toEqual([long.length, false]);
  });

  it('keeps the part before an early end', async () => {
    const { body, truncated } = await decodeBody(encode(long).subarray(0, 100_000), coding, 1e7, false);
    expect(truncated).toBe(true);
    expect(body.length).toBeGreaterThan(50_000);
    expect(Buffer.compare(body, long.subarray(0, body.length))).toBe(0);
  });

  it('keeps a body that is not in the coding', async () => {
    const { body, truncated } = await decodeBody(short, coding, 1e7, false);
    expect([text(body), truncated]).toEqual([text(short), false]);
  });

  it('leaves an empty body alone', async () => {
    expect(await decodeBody(new Uint8Array(), coding, 1e7, false)).toEqual({
      body: new Uint8Array(),
      truncated: false,
    });
  });

  it('does not expand a bomb beyond the limit', async () => {
    const bomb = encode(Buffer.alloc(10_000_000));
    const { body, truncated } = await decodeBody(bomb, coding, 100_000, false);
    expect([body.length, truncated]).toEqual([100_000, true]);
  });

  it('needs no more received bytes than estimated', () => {
    const noise = Buffer.from(long.map((byte, i) => (byte * 31 + Math.imul(i, 0x85ebca6b)) >>> 3));
    for (const length of [0, 1, 1000, 100_000]) {
      expect(encode(noise.subarray(0, length)).length).toBeLessThanOrEqual(encodedLimit(length));
    }
  });
});

it('decodes deflate without its header', async () => {
  const { body } = await decodeBody(deflateRawSync(long), 'deflate', 1e7, false);
  expect(Buffer.compare(body, long)).toBe(0);
});

it('decodes several codings, the last one first', async () => {
  const twice = brotli(gzipSync(long));
  const { body, truncated } = await decodeBody(twice, 'gzip, br', long.length, false);
  expect(Buffer.compare(body, long)).toBe(0);
  expect(truncated).toBe(false);
});

it('does not expand a bomb within a bomb', async () => {
  const twice = gzipSync(gzipSync(Buffer.alloc(10_000_000)));
  const { body, truncated } = await decodeBody(twice, 'gzip, gzip', 100_000, false);
  expect([body.length, truncated]).toEqual([100_000, true]);
});

it.each(['utf-8', 'none', 'zstd', 'gzip, foo', 'gzip,gzip,gzip,gzip,gzip'])(
  'keeps the body as received: %s',
  async (coding) => {
    const received = gzipSync(short);
    expect((await decodeBody(received, coding, 1e7, false)).body).toBe(received);
  },
);

it.each([
  ['compress', 'compress'],
  [' X-Compress ', 'x-compress'],
  ['gzip, dcb', 'dcb'],
  ['dcz,br', 'dcz'],
  ['none, aes128gcm', 'aes128gcm'],
  ['gzip,gzip,identity,gzip,gzip', undefined],
  ['gzip,gzip,gzip,gzip,br', 'br'],
  ['zstd', zstdCompressSync ? undefined : 'zstd'],
  ...['gzip, deflate, br', 'x-gzip', 'utf-8', 'none', 'gzip, foo', 'zstandard', 'identity', ''].map(
    (header) => [header, undefined] as const,
  ),
] as const)('names the registered coding that cannot be decoded: %j', (header, coding) => {
  expect(unsupportedCoding(header)).toBe(coding);
});

it.each([undefined, '', 'identity', ' , '])('decodes nothing for %j', async (coding) => {
  expect(await decodeBody(short, coding, 5, false)).toEqual({ body: short.subarray(0, 5), truncated: true });
  expect(await decodeBody(short, coding, 0, false)).toEqual({ body: short.subarray(0, 0), truncated: true });
  expect(await decodeBody(short, coding, short.length, false)).toEqual({ body: short, truncated: false });
});

it('ignores a wrong checksum and bytes after the stream', async () => {
  const wrong = gzipSync(short);
  wrong[wrong.length - 6] = (wrong[wrong.length - 6] ?? 0) ^ 0xff;
  const followed = Buffer.concat([gzipSync(short), Buffer.from('garbage')]);
  for (const received of [wrong, followed]) {
    const { body, truncated } = await decodeBody(received, 'gzip', 1e7, false);
    expect([text(body), truncated]).toEqual([text(short), false]);
  }
});

it('finds the stream after a long gzip header', async () => {
  const plain = gzipSync(short);
  const flags = Buffer.from([0x1f, 0x8b, 8, 4 | 8 | 16 | 2, 0, 0, 0, 0, 0, 3]);
  const header = Buffer.concat([flags, Buffer.from([3, 0]), Buffer.from('abcname\0comment\0'), Buffer.from([0, 0])]);
  const received = Buffer.concat([header, plain.subarray(10, -8)]);
  const { body, truncated } = await decodeBody(received, 'gzip', 1e7, false);
  expect([text(body), truncated]).toEqual([text(short), false]);
});

it('keeps the beginning of a broken stream', async () => {
  const broken = gzipSync(long);
  broken.fill(0xff, 100_000, 100_100);
  const { body, truncated } = await decodeBody(broken, 'gzip', 1e7, false);
  expect(truncated).toBe(true);
  expect(body.length).toBeGreaterThan(50_000);
  expect(text(body.subarray(0, 50_000))).toBe(text(long.subarray(0, 50_000)));
});

it('survives any garbage', async () => {
  let seed = 7;
  const random = (): number => (seed = Math.imul(seed, 1103515245) + 12345) >>> 16;
  for (let i = 0; i < 300; i++) {
    const garbage = Buffer.from(Array.from({ length: random() % 60 }, random));
    if (i % 3 === 0) garbage.set([0x1f, 0x8b, 8].slice(0, garbage.length));
    for (const coding of Object.keys(encoders)) {
      const { body } = await decodeBody(garbage, coding, 20, false);
      expect(body.length).toBeLessThanOrEqual(20);
    }
  }
});
