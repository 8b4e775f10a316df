import { describe, expect, test, vi } from 'vitest';
import { duration, number, table } from '../../bin/output.js';
import { progressDisplay, progressLine } from '../../bin/progress.js';
import { Sink } from './test-io.js';

vi.mock('../../packages/webcrawl/index.js', async () => (await import('./stub-api.js')).api);

const CLEAR = '\r\u001b[K';

function display(options: { isTTY?: boolean; columns?: number }) {
  const sink = new Sink(options);
  const clock = { now: 1000 };
  return { sink, clock, ...progressDisplay(sink, () => clock.now) };
}

describe('on a terminal', () => {
  test('one line, redrawn at most five times a second, taken away at the end', () => {
    const { sink, clock, show, end } = display({ isTTY: true, columns: 100 });
    for (let i = 0; i <= 100; i++) {
      clock.now = 1000 + i * 10;
      show({ job: 'fetch', batchId: 'b', done: i, total: 200, counters: { fetched: i } });
    }
    const drawn = sink.text.split(CLEAR).slice(1);
    expect(drawn).toHaveLength(6);
    expect(drawn.at(-1)).toBe('fetch: 100 of 200, 100/s, 1.0 s left; fetched 100');
    expect(sink.text).not.toContain('\n');
    end();
    expect(sink.text.endsWith(CLEAR)).toBe(true);
    const { length } = sink.text;
    end();
    expect(sink.text).toHaveLength(length);
  });

  test('is cut to the width, and untrusted text is made safe', () => {
    const { sink, show } = display({ isTTY: true, columns: 40 });
    show({ job: 'fetch', done: 1, counters: { ['\u001b[2J' + 'x'.repeat(100)]: 1 } });
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

  test('the rate is that of the last seconds, and starts anew with another job', () => {
    const { sink, clock, show } = display({ isTTY: true, columns: 200 });
    const at = (seconds: number, done: number, job = 'fetch') => {
      clock.now = 1000 + seconds * 1000;
      show({ job, done, counters: {} });
      return sink.text.split(CLEAR).at(-1);
    };
    for (let s = 0; s <= 10; s++) at(s, s * 100);
    for (let s = 11; s <= 30; s++) at(s, 1000 + s - 10);
    expect(at(31, 1021)).toBe('fetch: 1,021, 1/s');
    expect(at(32, 5, 'parse')).toBe('parse: 5');
    expect(at(33, 15, 'parse')).toBe('parse: 15, 10/s');
  });
});

test('elsewhere a plain line every five seconds, the first after five', () => {
  const { sink, clock, show, end } = display({});
  for (let s = 0; s <= 12; s++) {
    clock.now = 1000 + s * 1000;
    show({ job: 'parse', done: s, counters: { parsed: s } });
  }
  end();
  expect(sink.text).toBe('parse: 5, 1/s; parsed 5\nparse: 10, 1/s; parsed 10\n');
});

test('a line says only what is known', () => {
  expect(progressLine({ job: 'inject', done: 0, counters: {} }, 0)).toBe('inject: 0');
  expect(progressLine({ job: 'inject', done: 5, total: 5, counters: {} }, 2.25)).toBe('inject: 5 of 5, 2.3/s');
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
      ' ',
    ),
  ).toBe(' a    bb  c\n aaa  b   c\n');
});
