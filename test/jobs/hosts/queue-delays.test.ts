import { expect, it } from 'vitest';
import { settingsSchema } from '../../../config/schema.js';
import { createQueueDelays } from '../../../packages/jobs/hosts/queue-delays.js';

const delays = (settings: object) => createQueueDelays(settingsSchema.parse({ fetcher: settings }).fetcher);

it('is the usual delay, or with several threads the minimum delay', () => {
  expect(delays({}).of('a')).toBe(1);
  expect(delays({ serverMinDelay: 0.5, threadsPerQueue: 2 }).of('a')).toBe(0.5);
});

it('is raised by a Crawl-delay, and never lowered by one', () => {
  const all = delays({ serverMinDelay: 0.5, threadsPerQueue: 2 });
  all.crawlDelay('a', 10);
  all.crawlDelay('a', 5);
  all.crawlDelay('b', 0.2);
  expect([all.of('a'), all.of('b'), all.of('c')]).toEqual([10, 1, 0.5]);
});

it('drops the oldest queues when there are very many, so that memory is bounded', () => {
  const all = delays({});
  for (let i = 0; i <= 100_000; i++) all.crawlDelay(`q${i}`, 10);
  expect([all.of('q0'), all.of('q1'), all.of('q100000')]).toEqual([1, 10, 10]);
});

it('grows with slow answers, and falls back to its old value with faster ones', () => {
  const all = delays({ delayFactor: 10 });
  all.crawlDelay('b', 3);
  for (const queue of ['a', 'b']) all.answered(queue, 200);
  expect([all.of('a'), all.of('b')]).toEqual([2, 3]);
  all.answered('a', 600);
  expect(all.of('a')).toBeCloseTo(3);
  for (const odd of [undefined, NaN, -5]) all.answered('a', odd);
  expect(all.of('a')).toBeCloseTo(3);
  for (let i = 0; i < 100; i++) all.answered('a', 10);
  expect(all.of('a')).toBe(1);
});

it('does not grow beyond fetcher.maxCrawlDelay, nor at all if the setting is off', () => {
  for (const [settings, expected] of [
    [{ delayFactor: 10 }, 30],
    [{ delayFactor: 10, maxCrawlDelay: -1 }, 30],
    [{ delayFactor: 10, maxCrawlDelay: 4 }, 4],
    [{ delayFactor: 10, maxCrawlDelay: 0 }, 1],
    [{}, 1],
  ] as const) {
    const all = delays(settings);
    all.answered('a', 60_000);
    expect(all.of('a')).toBe(expected);
  }
});
