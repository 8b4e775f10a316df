import { describe, expect, test, vi } from 'vitest';
import { quantity, duration, number } from '../../bin/output/output.js';
import { progressDisplay, progressLine } from '../../bin/output/progress.js';
import { table } from '../../bin/output/table.js';
import { Sink } from './test-io.js';

vi.mock('../../packages/webcrawl/internal.js', async () => (await import('./stub-api.js')).api);

const CLEAR = '\r\u001b[K';

function display(options: { isTTY?: boolean; columns?: number }) {
  const sink = new Sink(options);
  const clock = { now: 1000 };
  return { sink, clock, ...progressDisplay(sink, () => clock.now) };
}

describe('on a terminal', () => {
  test('one line, redrawn at most five times a second, removed at the end', () => {
    const { sink, clock, show, end } = display({ isTTY: true, columns: 100 });
    for (let i = 0; i <= 100; i++) {
      clock.now = 1000 + i * 10;
      show({
        job: 'fetch',
        batchId: 'b',
        done: i,
        total: 200,
        rate: 100,
        seconds: i / 100,
        counters: { fetched: i },
        errors: {},
      });
    }
    const drawn = sink.text.split(CLEAR).slice(1);
    expect(drawn).toHaveLength(6);
    expect(drawn.at(-1)).toBe('fetch: 100 of 200, 100/s, 1.0 s, 1.0 s left; fetched 100');
    expect(sink.text).not.toContain('\n');
    end();
    expect(sink.text.endsWith(CLEAR)).toBe(true);
    const { length } = sink.text;
    end();
    expect(sink.text).toHaveLength(length);
  });

  test('is cut to the width, and untrusted text is made safe', () => {
    const { sink, show } = display({ isTTY: true, columns: 40 });
    show({ job: 'fetch', done: 1, counters: { ['\u001b[2J' + 'x'.repeat(100)]: 1 }, errors: {} });
    const [, line = ''] = sink.text.split(CLEAR);
    expect(line).not.toContain('\u001b');
    expect(display({ isTTY: true }).sink.columns).toBeUndefined();
    expect(line.length).toBeLessThanOrEqual(45);
  });

  test('without progress nothing is written', () => {
    const { sink, end } = display({ isTTY: true });
    end();
    expect(sink.text).toBe('');
  });
});

test('elsewhere a plain line every five seconds', () => {
  const { sink, clock, show, end } = display({});
  for (let s = 0; s <= 12; s++) {
    clock.now = 1000 + s * 1000;
    show({ job: 'parse', done: s, counters: { parsed: s }, errors: {} });
  }
  end();
  expect(sink.text).toBe('parse: 5 done; parsed 5\nparse: 10 done; parsed 10\n');
});

test('a line shows only known values', () => {
  expect(progressLine({ job: 'inject', done: 0, counters: {}, errors: {} })).toBe('inject: 0 done');
  const ended = { job: 'inject', done: 5, total: 5, counters: {}, errors: {}, rate: 2.25, seconds: 2 };
  expect(progressLine(ended)).toBe('inject: 5 of 5, 2.3/s, 2.0 s');
});

describe('a crawl', () => {
  const crawl = {
    job: 'crawl',
    round: 3,
    done: 1120,
    toGo: 24_300,
    rate: 24.5,
    seconds: 200,
    counters: { dns_failed: 6, fetched: 1120, success: 1084, timeout: 30 },
    errors: { dns_failed: 6, timeout: 30 },
    fetching: { inFlight: 50, threads: 50, waiting: 12, setAside: 1, pages: [], hosts: [] },
  };

  test('without a limit has no estimated end, and shows the most important values first', () => {
    expect(progressLine(crawl)).toBe(
      'crawl, round 3: 1,120 done, 24,300 to go, 36 failed, 25/s, 3 min 20 s; ' +
        '50 in flight, 12 hosts waiting, 1 host set aside; timeout 30, dns_failed 6; fetched 1,120, success 1,084',
    );
  });

  test('with a limit has an estimated end', () => {
    expect(progressLine({ ...crawl, total: 2000 })).toContain(
      '1,120 of 2,000, 24,300 to go, 36 failed, 25/s, 3 min 20 s, 36 s left',
    );
  });
});

test.each([
  [0, '0.0 s'],
  [0.44, '0.4 s'],
  [9.96, '10 s'],
  [59.7, '1 min 0 s'],
  [200, '3 min 20 s'],
  [7500, '2 h 5 min'],
  [86_399, '1 d 0 h'],
  [349_200, '4 d 1 h'],
  [Infinity, '?'],
  [NaN, '?'],
  [-1, '?'],
])('%d seconds are %s', (seconds, text) => {
  expect(duration(seconds)).toBe(text);
});

test('numbers and tables', () => {
  expect([number(1234567), number(0.123456), number(0.123456, 4)]).toEqual(['1,234,567', '0.12', '0.1235']);
  expect(
    table(
      [
        ['a', 'bb', 'c'],
        ['aaa', 'b', 'c'],
      ],
      { indent: ' ' },
    ),
  ).toBe(' a    bb  c\n aaa  b   c\n');
});

test('cells of a table are safe for a terminal, and aligned as they are shown', () => {
  const rows = [
    ['a\u001b', 'b\nc'],
    ['aa', 'd'],
  ];
  expect(table(rows)).toBe('a\\u001b  b c\naa       d\n');
});

test('a row that ends with an empty cell has no trailing blanks', () => {
  expect(
    table(
      [
        ['counters', ''],
        ['  fetched', '2'],
      ],
      { indent: '  ' },
    ),
  ).toBe('  counters\n    fetched  2\n');
});

test('a count of one has a noun in the singular', () => {
  expect([quantity(0, 'page'), quantity(1, 'page'), quantity(1234, 'page')]).toEqual([
    '0 pages',
    '1 page',
    '1,234 pages',
  ]);
});
