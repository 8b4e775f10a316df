import { describe, expect, it } from 'vitest';
import {
  cpuPerThousand,
  firstPart,
  pagesPerSecond,
  quartersOf,
  startCpuSeconds,
  steadyPart,
} from '../../bench/lib/quarters.js';

describe('a crawl by quarters', () => {
  const end = { seconds: 10, cpuSeconds: 12, requests: 400 };

  it('is divided by quarters of the requests to the server, also between two polls', () => {
    const looks = [
      { seconds: 1, cpuSeconds: 2, requests: 0 },
      { seconds: 3, cpuSeconds: 4, requests: 50 },
      { seconds: 5, cpuSeconds: 8, requests: 150 },
      { seconds: 7, cpuSeconds: 9, requests: 300 },
    ];
    // 100 requests are half-way between the polls at 50 and 150, 200 are a third of the way from 150 to 300.
    const quarters = quartersOf(looks, end);
    expect(quarters[0]).toEqual({ seconds: 4, cpuSeconds: 6 });
    expect(quarters[1]!.seconds).toBeCloseTo(5 + 2 / 3 - 4);
    expect(quarters[1]!.cpuSeconds).toBeCloseTo(8 + 1 / 3 - 6);
    // The time from the last request to the end of the process belongs to the last quarter.
    expect(quarters[3]).toEqual({ seconds: 3, cpuSeconds: 3 });
    expect(quarters.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0)).toBeCloseTo(end.cpuSeconds);
  });

  it('without a poll has the same cost in each quarter', () => {
    expect(quartersOf([], end)).toEqual(Array.from({ length: 4 }, () => ({ seconds: 2.5, cpuSeconds: 3 })));
  });

  it('has a start: the additional cost of the first quarter compared with steady pages', () => {
    const [slow, steady] = [
      { seconds: 4, cpuSeconds: 6 },
      { seconds: 2, cpuSeconds: 2.5 },
    ];
    const crawl = { pages: 8000, quarters: [slow, steady, steady, steady] };
    expect(startCpuSeconds(crawl)).toBeCloseTo(3.5);
    expect(firstPart(crawl)).toEqual({ pages: 2000, seconds: 4, cpuSeconds: 6 });
    expect(steadyPart(crawl)).toEqual({ pages: 6000, seconds: 6, cpuSeconds: 7.5 });
    expect(pagesPerSecond(steadyPart(crawl))).toBe(1000);
    expect(cpuPerThousand(steadyPart(crawl))).toBe(1.25);
  });

  it('that was not polled has no figures of parts', () => {
    const crawl = { pages: 8000, quarters: [] };
    expect(startCpuSeconds(crawl)).toBeNaN();
    expect(pagesPerSecond(firstPart(crawl))).toBeNaN();
    expect(cpuPerThousand(steadyPart(crawl))).toBeNaN();
  });
});
