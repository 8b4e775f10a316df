import { describe, expect, it } from 'vitest';
import { BodyBuffer } from '../../../packages/fetch/http/body-buffer.js';

describe('a body buffer', () => {
  it('keeps the bytes in their order, whatever the chunks are', () => {
    const buffer = new BodyBuffer(Infinity);
    const all = Uint8Array.from({ length: 100_000 }, (_, i) => i % 251);
    for (let at = 0, size = 0; at < all.length; at += size, size = (size + 97) % 5000) {
      expect(buffer.add(all.subarray(at, at + size))).toBe(true);
    }
    expect(buffer.size).toBe(all.length);
    expect(Buffer.compare(buffer.bytes(), all)).toBe(0);
  });

  it('is full at its limit, and keeps the bytes up to it', () => {
    const buffer = new BodyBuffer(5);
    expect([buffer.add(Buffer.from('abc')), buffer.add(Buffer.from('de'))]).toEqual([true, true]);
    expect(buffer.add(Buffer.from(''))).toBe(true);
    expect(buffer.add(Buffer.from('f'))).toBe(false);
    expect(Buffer.from(buffer.bytes()).toString()).toBe('abcde');
    const other = new BodyBuffer(5);
    expect(other.add(Buffer.from('abcdefgh'))).toBe(false);
    expect(Buffer.from(other.bytes()).toString()).toBe('abcde');
    const none = new BodyBuffer(0);
    expect([none.add(Buffer.from('')), none.add(Buffer.from('x')), none.size]).toEqual([true, false, 0]);
  });

  it('takes at most twice the memory of its content, and never more than its limit', () => {
    const buffer = new BodyBuffer(60_000);
    for (let i = 1; i <= 60_000; i++) {
      buffer.add(Uint8Array.of(i));
      if (i % 1000 === 0) {
        expect(buffer.bytes().buffer.byteLength).toBeLessThanOrEqual(Math.min(60_000, Math.max(4096, 2 * i)));
      }
    }
  });

  it('does not change its input, nor change with it', () => {
    const buffer = new BodyBuffer(100);
    const bytes = Buffer.from('abc');
    buffer.add(bytes);
    bytes.fill(0);
    expect(Buffer.from(buffer.bytes()).toString()).toBe('abc');
  });
});
