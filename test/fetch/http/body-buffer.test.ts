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

  it('never grows if the announced length is right, and reserves at most 256 KiB for a length that is not', () => {
    const right = new BodyBuffer(Infinity, 10_000);
    right.add(new Uint8Array(1));
    const memory = right.bytes().buffer;
    right.add(new Uint8Array(9999));
    expect([right.bytes().buffer, memory.byteLength]).toEqual([memory, 10_000]);
    const memoryFor = (announced: number, room = Infinity): number => {
      const buffer = new BodyBuffer(room, announced);
      buffer.add(new Uint8Array(1));
      return buffer.bytes().buffer.byteLength;
    };
    expect([1e12, Infinity, NaN, 0, -5].map((announced) => memoryFor(announced))).toEqual([
      262_144, 262_144, 4096, 4096, 4096,
    ]);
    expect(memoryFor(10_000, 100)).toBe(100);
    const tooShort = new BodyBuffer(Infinity, 2);
    tooShort.add(Buffer.from('ab'));
    tooShort.add(Buffer.from('cdef'));
    expect(Buffer.from(tooShort.bytes()).toString()).toBe('abcdef');
  });

  it('does not change its input, nor change with it', () => {
    const buffer = new BodyBuffer(100);
    const bytes = Buffer.from('abc');
    buffer.add(bytes);
    bytes.fill(0);
    expect(Buffer.from(buffer.bytes()).toString()).toBe('abc');
  });
});
