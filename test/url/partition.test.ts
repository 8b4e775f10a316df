import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupOf, partitionOf } from '../../packages/url/index.js';

describe('groupOf', () => {
  it('takes pages together by host or by domain', () => {
    expect(groupOf('http://www.example.co.uk:81/a', 'host')).toBe('www.example.co.uk');
    expect(groupOf('http://www.example.co.uk:81/a', 'domain')).toBe('example.co.uk');
    expect(groupOf('https://[::1]/', 'host')).toBe('[::1]');
    expect(groupOf('https://[::1]/', 'domain')).toBe('[::1]');
  });

  it('takes http, https and all ports of a host together', () => {
    const groups = ['http://a.com/', 'https://a.com/x', 'http://a.com:8080/'].map((url) => groupOf(url, 'host'));
    expect(new Set(groups)).toEqual(new Set(['a.com']));
  });

  it('takes a host as well', () => {
    expect(groupOf('www.example.com', 'host')).toBe('www.example.com');
    expect(groupOf('www.example.com', 'domain')).toBe('example.com');
    expect(groupOf('[::1]', 'domain')).toBe('[::1]');
  });

  it('refuses other URLs', () => {
    expect(() => groupOf('ftp://a.com/', 'host')).toThrow(expect.objectContaining({ code: 'BAD_URL' }));
  });
});

describe('partitionOf', () => {
  it('never changes', () => {
    expect(['', 'a', 'www.example.org', 'example.com', '[::1]'].map((group) => partitionOf(group, 2 ** 31))).toEqual([
      0, 97, 269205129, 203470589, 85825639,
    ]);
  });

  it('is within its bounds', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 5000 }), (group, partitions) => {
        const partition = partitionOf(group, partitions);
        expect(Number.isInteger(partition) && partition >= 0 && partition < partitions).toBe(true);
      }),
      { seed: 1 },
    );
  });

  it('spreads hosts', () => {
    const counts = Array.from({ length: 16 }, () => 0);
    for (let i = 0; i < 16_000; i++) counts[partitionOf(`www.host${i}.example`, 16)]! += 1;
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(250);
  });

  it.each([0, -1, 1.5, NaN, Infinity])('refuses %s partitions', (partitions) => {
    expect(() => partitionOf('a', partitions)).toThrow(expect.objectContaining({ code: 'BAD_SETTING' }));
  });
});
