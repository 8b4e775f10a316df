import { describe, expect, it } from 'vitest';
import type { AccessEntry } from './access-log.js';
import { checkPoliteness, SETTLE, TOLERANCE, type Wait } from './check-politeness.js';

const RULES = { serverDelay: 1, backoffMin: 2, backoffMax: 10 };
const NOON = Date.UTC(2026, 0, 1, 12);

/** A request at `from` seconds after noon that was answered at `to`. */
function entry(path: string, from: number, to: number, more: Partial<AccessEntry> = {}): AccessEntry {
  const times = { arrived: NOON + from * 1000, ended: NOON + to * 1000 };
  return { host: 'a.test', scheme: 'http', path, status: 200, ...times, ...more };
}

function check(log: readonly AccessEntry[], killsAt: readonly number[] = []) {
  return checkPoliteness(
    log,
    killsAt.map((at) => NOON + at * 1000),
    RULES,
  );
}

/** The violations: the rule, the URL and how many ms too early the request was. */
function broken(log: readonly AccessEntry[], killsAt: readonly number[] = []): [Wait, string, number][] {
  return check(log, killsAt).violations.map(({ rule, url, early }) => [rule, url, Math.round(early)]);
}

describe('the check of an access log', () => {
  it('finds nothing in an empty log, and nothing in one request', () => {
    expect(check([])).toMatchObject({ violations: [], unsettled: 0 });
    expect(broken([entry('/', 0, 1)])).toEqual([]);
  });

  it('counts the delay from the end of the previous answer', () => {
    expect(broken([entry('/a', 0, 5), entry('/b', 6, 6)])).toEqual([]);
    expect(broken([entry('/a', 0, 5), entry('/b', 5.9, 6)])).toEqual([['delay', 'http://a.test/b', 100]]);
  });

  it('sorts the log by arrival', () => {
    expect(broken([entry('/b', 5.9, 6), entry('/a', 0, 5)])).toEqual([['delay', 'http://a.test/b', 100]]);
  });

  it('accepts requests up to the tolerance too early', () => {
    const after = (ms: number) => [entry('/a', 0, 0), entry('/b', (1000 - ms) / 1000, 2)];
    expect(broken(after(TOLERANCE))).toEqual([]);
    expect(broken(after(TOLERANCE + 1))).toEqual([['delay', 'http://a.test/b', TOLERANCE + 1]]);
  });

  it('treats a request for robots.txt like any other', () => {
    expect(broken([entry('/robots.txt', 0, 0.1), entry('/', 1.1, 1.2)])).toEqual([]);
    expect(broken([entry('/robots.txt', 0, 0.1), entry('/', 0.6, 0.7)])).toEqual([['delay', 'http://a.test/', 500]]);
    expect(broken([entry('/', 0, 0), entry('/robots.txt', 0.5, 0.6)])).toEqual([
      ['delay', 'http://a.test/robots.txt', 500],
    ]);
  });

  it('accepts parallel requests to two hosts, but not to http and https of one host', () => {
    expect(broken([entry('/', 0, 1), entry('/', 0.5, 1, { host: 'b.test' })])).toEqual([]);
    expect(broken([entry('/', 0, 1), entry('/', 1.5, 2, { scheme: 'https' })])).toEqual([
      ['delay', 'https://a.test/', 500],
    ]);
  });

  it('finds two requests at the same time, also for robots.txt', () => {
    expect(broken([entry('/a', 0, 2), entry('/b', 1, 3)])).toEqual([['overlap', 'http://a.test/b', 1000]]);
    expect(broken([entry('/robots.txt', 0, 2), entry('/b', 1, 3)])).toEqual([['overlap', 'http://a.test/b', 1000]]);
    expect(broken([entry('/a', 0, 9), entry('/b', 1, 2), entry('/c', 5, 6)]).map(([rule]) => rule)).toEqual([
      'overlap',
      'overlap',
    ]);
  });

  describe('of Crawl-delay', () => {
    const robots = entry('/robots.txt', -3, -3, { crawlDelay: 3 });

    it('applies to the first page, too', () => {
      expect(broken([robots, entry('/a', 0, 1)])).toEqual([]);
      expect(broken([robots, entry('/a', -1, 1)])).toEqual([['crawl-delay', 'http://a.test/a', 1000]]);
    });

    it('applies to pages after robots.txt was served', () => {
      expect(broken([robots, entry('/a', 0, 1), entry('/b', 4, 4)])).toEqual([]);
      expect(broken([robots, entry('/a', 0, 1), entry('/b', 3, 3)])).toEqual([
        ['crawl-delay', 'http://a.test/b', 1000],
      ]);
    });

    it('does not shorten the server delay', () => {
      const short = { ...robots, crawlDelay: 0.2 };
      expect(broken([short, entry('/a', 0, 1), entry('/b', 1.5, 2)])).toEqual([['delay', 'http://a.test/b', 500]]);
    });

    it('applies only to its own origin, and only if it was served with 200', () => {
      expect(broken([robots, entry('/a', 0, 1), entry('/b', 2, 2, { scheme: 'https' })])).toEqual([]);
      expect(broken([{ ...robots, status: 404 }, entry('/a', 0, 1), entry('/b', 2, 2)])).toEqual([]);
    });

    it('is taken from the last robots.txt', () => {
      const log = [robots, entry('/a', 0, 1), entry('/robots.txt', 4, 4), entry('/b', 5, 5)];
      expect(broken(log)).toEqual([]);
    });
  });

  describe('of answers that ask to be left alone', () => {
    it('expects no request to the host, also not for robots.txt, for the seconds of Retry-After', () => {
      const refused = entry('/a', 0, 1, { status: 429, retryAfter: '5' });
      expect(broken([refused, entry('/b', 6, 6)])).toEqual([]);
      expect(broken([refused, entry('/b', 5, 5)])).toEqual([['retry-after', 'http://a.test/b', 1000]]);
      expect(broken([refused, entry('/robots.txt', 5, 5, { scheme: 'https' })])).toEqual([
        ['retry-after', 'https://a.test/robots.txt', 1000],
      ]);
    });

    it('expects none until the date of Retry-After', () => {
      const until = new Date(NOON + 9000).toUTCString();
      const refused = entry('/a', 0, 1, { status: 503, retryAfter: until });
      expect(broken([refused, entry('/a', 9, 9)])).toEqual([]);
      expect(broken([refused, entry('/a', 8, 8)])).toEqual([['retry-date', 'http://a.test/a', 1000]]);
    });

    it('still expects none after a request that was too early and got an answer', () => {
      const refused = entry('/a', 0, 0, { status: 429, retryAfter: '9' });
      expect(broken([refused, entry('/b', 3, 3), entry('/c', 6, 6)])).toEqual([
        ['retry-after', 'http://a.test/b', 6000],
        ['retry-after', 'http://a.test/c', 3000],
      ]);
    });

    it('expects the back-off to double with every failure in a row, up to its maximum', () => {
      const starts = [0, 2, 6, 14, 24, 34];
      const log = starts.map((at) => entry('/a', at, at, { status: 503 }));
      expect(broken(log)).toEqual([]);
      const hasty = starts.map((at) => at - (at > 2 ? 1 : 0)).map((at) => entry('/a', at, at, { status: 503 }));
      expect(broken(hasty)).toEqual([['backoff', 'http://a.test/a', 1000]]);
      const longest = [...log, entry('/a', 43, 43)];
      expect(broken(longest)).toEqual([['backoff', 'http://a.test/a', 1000]]);
    });

    it('expects the first back-off again after a good answer', () => {
      const refused = (at: number) => entry('/a', at, at, { status: 429 });
      expect(broken([refused(0), entry('/b', 2, 2), refused(4), entry('/a', 6, 6)])).toEqual([]);
      expect(broken([refused(0), refused(2), entry('/a', 4, 4)])).toEqual([['backoff', 'http://a.test/a', 2000]]);
    });

    it('ignores a Retry-After that cannot be read', () => {
      const refused = entry('/a', 0, 0, { status: 429, retryAfter: 'soon' });
      expect(broken([refused, entry('/b', 1.5, 2)])).toEqual([['backoff', 'http://a.test/b', 500]]);
    });

    it('counts any 5xx of a robots.txt as a failure, but of a page only 429 and 503', () => {
      expect(broken([entry('/robots.txt', 0, 0, { status: 500 }), entry('/robots.txt', 1, 1)])).toEqual([
        ['backoff', 'http://a.test/robots.txt', 1000],
      ]);
      expect(broken([entry('/a', 0, 0, { status: 500 }), entry('/b', 1, 1)])).toEqual([]);
    });
  });

  describe('around kills', () => {
    it('ignores a refusal that may not have been stored, and counts it', () => {
      const refused = entry('/a', 0, 5, { status: 429, retryAfter: '60' });
      expect(broken([refused, entry('/a', 7, 7)], [5.1])).toEqual([]);
      expect(check([refused, entry('/a', 7, 7)], [5.1]).unsettled).toBe(1);
    });

    it('applies a refusal to the next process if it was answered long enough before the kill', () => {
      const refused = entry('/a', 0, 5, { status: 429, retryAfter: '60' });
      expect(broken([refused, entry('/a', 7, 7)], [5.1 + SETTLE / 1000])).toEqual([
        ['retry-after', 'http://a.test/a', 58_000],
      ]);
    });

    it('ignores a Crawl-delay that may not have been stored, until robots.txt is read again', () => {
      const robots = (at: number) => entry('/robots.txt', at, at, { crawlDelay: 9 });
      expect(broken([robots(0), robots(2)], [0.1])).toEqual([]);
      expect(broken([robots(0), robots(2)], [1.5])).toEqual([['crawl-delay', 'http://a.test/robots.txt', 7000]]);
      expect(broken([robots(0), robots(2), entry('/', 4, 4)], [0.1])).toEqual([
        ['crawl-delay', 'http://a.test/', 7000],
      ]);
    });

    it('applies the delay in any case', () => {
      expect(broken([entry('/a', 0, 5, { cut: true }), entry('/a', 5.5, 7)], [5])).toEqual([
        ['delay', 'http://a.test/a', 500],
      ]);
    });

    it('counts waits that continued after a kill while the next process asked other hosts', () => {
      const log = [
        entry('/a', 0, 1, { status: 429, retryAfter: '60' }),
        entry('/', 20, 20, { host: 'b.test' }),
        entry('/a', 61, 61),
        entry('/c', 62, 62),
      ];
      const { waits, acrossKills } = check(log, [10]);
      expect(waits).toMatchObject({ 'retry-after': 1, delay: 1 });
      expect(acrossKills).toMatchObject({ 'retry-after': 1, delay: 0 });
      // The next process asked no host before the wait was over.
      expect(
        check(
          log.filter(({ host }) => host === 'a.test'),
          [10],
        ).acrossKills,
      ).toMatchObject({ 'retry-after': 0 });
    });
  });
});
