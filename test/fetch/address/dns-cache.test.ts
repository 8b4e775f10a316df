import { describe, expect, it } from 'vitest';
import { cachedLookup, systemLookup, type LookupCacheOptions } from '../../../packages/fetch/address/dns-cache.js';

/** A lookup that notes what it is asked, and a clock that is set. */
function setUp(answer: (host: string) => readonly string[], options: Partial<LookupCacheOptions> = {}) {
  const asked: string[] = [];
  const time = { now: 1_000_000 };
  const lookup = cachedLookup(
    async (host) => {
      asked.push(host);
      await Promise.resolve();
      return answer(host);
    },
    { clock: () => time.now, ...options },
  );
  return { asked, time, lookup };
}

describe('cachedLookup', () => {
  it('asks once for five minutes, in the order of the answer', async () => {
    const { asked, time, lookup } = setUp(() => ['8.8.8.8', '1.1.1.1']);
    expect(await lookup('a.com')).toEqual(['8.8.8.8', '1.1.1.1']);
    time.now += 299_999;
    expect(await lookup('a.com')).toEqual(['8.8.8.8', '1.1.1.1']);
    expect(asked).toEqual(['a.com']);
    time.now += 1;
    await lookup('a.com');
    expect(asked).toEqual(['a.com', 'a.com']);
    // A clock that was put back.
    time.now -= 3_600_000;
    await lookup('a.com');
    expect(asked).toHaveLength(3);
  });

  it('shares one lookup between all who ask meanwhile', async () => {
    const { asked, lookup } = setUp(() => ['8.8.8.8']);
    const answers = await Promise.all([lookup('a.com'), lookup('b.com'), lookup('a.com'), lookup('a.com')]);
    expect(answers).toEqual(Array(4).fill(['8.8.8.8']));
    expect(asked).toEqual(['a.com', 'b.com']);
  });

  it('remembers a failure for a short while, and who waits gets it too', async () => {
    const failure = new Error('no such name');
    let works = false;
    const { asked, time, lookup } = setUp(() => {
      if (!works) throw failure;
      return ['8.8.8.8'];
    });
    const [first, second] = await Promise.allSettled([lookup('a.com'), lookup('a.com')]);
    expect(first).toEqual({ status: 'rejected', reason: failure });
    expect(second).toEqual(first);
    works = true;
    time.now += 9_999;
    await expect(lookup('a.com')).rejects.toBe(failure);
    expect(asked).toHaveLength(1);
    time.now += 1;
    expect(await lookup('a.com')).toEqual(['8.8.8.8']);
  });

  it('takes no addresses for a failure as to time', async () => {
    const { asked, time, lookup } = setUp(() => []);
    expect(await lookup('a.com')).toEqual([]);
    time.now += 10_000;
    await lookup('a.com');
    expect(asked).toHaveLength(2);
  });

  it('holds so many addresses, and of one host not more than are of use', async () => {
    const many = Array.from({ length: 5000 }, (_, i) => `8.8.${i >> 8}.${i & 255}`);
    const { asked, lookup } = setUp((host) => (host === 'many.com' ? many : ['8.8.8.8']), { maxAddresses: 100 });
    expect(await lookup('many.com')).toEqual(many.slice(0, 64));
    for (let i = 0; i < 36; i++) await lookup(`h${i}.com`);
    await lookup('many.com');
    expect(asked).toHaveLength(37);
    await lookup('one.com');
    await lookup('h0.com');
    expect(asked.slice(37)).toEqual(['one.com', 'h0.com']);
    await lookup('many.com');
    expect(asked).toHaveLength(39);
  });
});

it('the system knows addresses as names for themselves', async () => {
  expect(await systemLookup('127.0.0.1')).toEqual(['127.0.0.1']);
});
