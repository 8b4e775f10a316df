import { describe, expect, it } from 'vitest';
import { acceptEncoding, contentCodings, decodeBody } from '../../../packages/fetch/http/content-coding.js';
import { zstdCompressSync } from '../../support/zstd.js';

const text = (body: Uint8Array): string => Buffer.from(body).toString('latin1');
/** `ZSTD_c_windowLog` */
const WINDOW_LOG = 101;

it('is accepted in requests if it can be decoded', () => {
  expect(acceptEncoding()).toBe(zstdCompressSync ? 'gzip, deflate, br, zstd' : 'gzip, deflate, br');
  expect(contentCodings('zstd')).toEqual(zstdCompressSync ? ['zstd'] : undefined);
});

describe.skipIf(!zstdCompressSync)(`zstd${zstdCompressSync ? '' : ' (left out: this Node has none)'}`, () => {
  const encode = (content: Uint8Array, windowLog?: number): Buffer =>
    zstdCompressSync?.(content, { params: windowLog === undefined ? {} : { [WINDOW_LOG]: windowLog } }) ??
    Buffer.alloc(0);

  it('takes no more memory for its window than RFC 9659 allows', async () => {
    const content = Buffer.alloc(20_000_000, 'abc');
    const fine = await decodeBody(encode(content, 23), 'zstd', 1000, false);
    expect([fine.body.length, fine.truncated]).toEqual([1000, true]);
    const greedy = encode(content, 27);
    expect(await decodeBody(greedy, 'zstd', 1e8, false)).toEqual({ body: greedy, truncated: false });
  });

  it('reports bytes after the first frame', async () => {
    const frames = Buffer.concat([encode(Buffer.from('hello')), encode(Buffer.from(' and more'))]);
    const { body, truncated } = await decodeBody(frames, 'zstd', 100, false);
    expect(text(body)).toMatch(/^hello/);
    expect(truncated).toBe(text(body) !== 'hello and more');
    const trailing = await decodeBody(
      Buffer.concat([encode(Buffer.from('hello')), Buffer.from('x')]),
      'zstd',
      9,
      false,
    );
    expect([text(trailing.body), trailing.truncated]).toEqual(['hello', true]);
  });

  it('keeps the part before an error', async () => {
    const noise = Buffer.from(Array.from({ length: 400_000 }, (_, i) => Math.imul(i + 1, 0x9e3779b1) >>> 24));
    const broken = encode(noise);
    broken.fill(0xff, broken.length - 1000);
    const { body, truncated } = await decodeBody(broken, 'zstd', 1e7, false);
    expect(truncated).toBe(true);
    expect(body.length).toBeGreaterThan(100_000);
    expect(Buffer.compare(body, noise.subarray(0, body.length))).toBe(0);
  });

  it('may be one of several codings, each with a limit', async () => {
    const nested = encode(encode(encode(Buffer.alloc(100_000_000))));
    expect(nested.length).toBeLessThan(1000);
    const { body, truncated } = await decodeBody(nested, 'zstd, zstd, zstd', 100_000, false);
    expect([body.length, truncated]).toEqual([100_000, true]);
  });
});
