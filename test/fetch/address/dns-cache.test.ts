import { describe, expect, it } from 'vitest';
import { cachedLookup, systemLookup, type LookupCacheOptions } from '../../../packages/fetch/address/dns-cache.js';

/** A lookup that records its calls, and a clock that the test sets. */
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
  it('looks a name up once in five minutes, and keeps the order of the answer', async () => {
    const { asked, time, lookup } = setUp(() => ['8.8.8.8', '1.1.1.1']);
    expect(await lookup('a.com')).toEqual(['8.8.8.8', '1.1.1.1']);
    time.now += 299_999;
    expect(await lookup('a.com')).toEqual(['8.8.8.8', '1.1.1.1']);
    expect(asked).toEqual(['a.com']);
    time.now += 1;
    await lookup('a.com');
    expect(asked).toEqual(['a.com', 'a.com']);
    // The clock was set back.
    time.now -= 3_600_000;
    await lookup('a.com');
    expect(asked).toHaveLength(3);
  });

  it('shares one lookup between all callers meanwhile', async () => {
    const { asked, lookup } = setUp(() => ['8.8.8.8']);
    const answers = await Promise.all([lookup('a.com'), lookup('b.com'), lookup('a.com'), lookup('a.com')]);
    expect(answers).toEqual(Array(4).fill(['8.8.8.8']));
    expect(asked).toEqual(['a.com', 'b.com']);
  });

  it('caches a failure for a short time, also for waiting callers', async () => {
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

  it('caches an answer without addresses as long as a failure', async () => {
    const { asked, time, lookup } = setUp(() => []);
    expect(await lookup('a.com')).toEqual([]);
    time.now += 10_000;
    await lookup('a.com');
    expect(asked).toHaveLength(2);
  });

  it('holds a limited number of addresses, and per host only as many as are used', async () => {
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

it('the system resolves an address to itself', async () => {
  expect(await systemLookup('127.0.0.1')).toEqual(['127.0.0.1']);
});
