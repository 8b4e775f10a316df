import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hostKeyOf, hostKeyOfRow, partitionOf, slotsOf } from '../../../webtable/index.js';
import { domainKeyOf } from '../../../webtable/keys/partition.js';

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

  it.each([0, -1, 1.5, NaN, Infinity])('rejects %s partitions', (partitions) => {
    expect(() => partitionOf('a', partitions)).toThrow(expect.objectContaining({ code: 'BAD_SETTING' }));
  });
});

describe('slots', () => {
  const slotOf = (rowKey: string): string => slotsOf(16).of(hostKeyOfRow(rowKey));

  it.each([
    ['example.com', 'com.example'],
    ['www.example.com', 'com.example'],
    ['a.b.example.com', 'com.example'],
    ['www.example.co.uk', 'uk.co.example'],
    ['example.co.uk', 'uk.co.example'],
    ['co.uk', 'uk.co'],
    ['www.bbc.uk', 'uk.bbc'],
    ['co.example.com', 'com.example'],
    ['alice.github.io', 'io.github'],
    ['www.example.com.', 'com.example'],
    ['localhost', 'localhost'],
    ['localhost.', 'localhost'],
    ['10.0.0.1', '10.0.0.1'],
    ['[::1]', '[::1]'],
  ])('the slot of %s is decided by %s, which never changes', (host, domain) => {
    expect(domainKeyOf(hostKeyOf(host))).toBe(domain);
  });

  it('a queue has the slot of its hosts', () => {
    const slots = slotsOf(256);
    for (const host of ['www.example.co.uk', 'example.co.uk', '10.0.0.1', '[::1]']) {
      expect(slots.ofQueue(host)).toBe(slots.of(hostKeyOf(host)));
    }
    expect(slots.ofQueue('example.co.uk')).toBe(slots.of(hostKeyOf('www.example.co.uk')));
    expect(slots.ofRow('com.example.www:http/')).toBe(slots.ofQueue('example.com'));
  });

  it('are the same for all rows of a host, and spread hosts', () => {
    const same = ['com.example.www:http/', 'com.example.www:https/x:y', 'com.example.www:http:81/'].map(slotOf);
    expect(new Set(same).size).toBe(1);
    expect(slotOf('[::1]:http/')).toBe(slotOf('[::1]:https:8443/'));
    const slots = Array.from({ length: 500 }, (_, i) => slotOf(`com.host${i}:http/`));
    expect(new Set(slots).size).toBe(16);
  });
});
