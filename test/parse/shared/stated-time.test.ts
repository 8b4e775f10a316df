import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { statedTime, statedTimes } from '../../../packages/parse/index.js';
import { fuzzed } from '../../support/runs.js';

const DAY = Date.UTC(2024, 4, 1);
const HOUR = 3_600_000;

describe('a time that is stated', () => {
  it.each([
    ['2024-05-01', DAY],
    ['2024-5-1', DAY],
    ['2024/05/01 08:30', DAY + 8.5 * HOUR],
    ['20240501', DAY],
    ['20240501T083000Z', DAY + 8.5 * HOUR],
    ['2024-05-01T08:30:00.123456Z', DAY + 8.5 * HOUR],
    ['2024-05-01T08:30:00+02:00', DAY + 6.5 * HOUR],
    ['2024-05-01T08:30:00-0530', DAY + 14 * HOUR],
    ['2024-05-01 08:30:00 +02', DAY + 6.5 * HOUR],
    ['2024-05-01T24:00:00', DAY],
    ['2024-05-01TXX', DAY],
    ['Wed, 01 May 2024 08:30:00 GMT', DAY + 8.5 * HOUR],
    ['1 May 2024', DAY],
    ['01-May-2024', DAY],
    ['May 1, 2024', DAY],
    ['Wednesday, May 1st, 2024 at 08:30', DAY + 8.5 * HOUR],
    ['May 1, 2024 8:30 AM', DAY + 8.5 * HOUR],
    ['May 1, 2024 at 8:30pm', DAY + 20.5 * HOUR],
    ['2024-05-01 8:30:00 p.m. +02:00', DAY + 18.5 * HOUR],
    ['1 May 2024 12:30 AM', DAY + 0.5 * HOUR],
    ['2024-05-01 12:30 PM', DAY + 12.5 * HOUR],
    ['2024-05-01 20:30 PM', DAY + 20.5 * HOUR],
    ['1714521600', DAY],
    ['1714521600000', DAY],
    ['  2024-05-01\n', DAY],
  ])('%j', (text, time) => {
    expect(statedTime(text)).toMatchObject({ time, day: '2024-05-01' });
  });

  it('has the day of the time zone in which it is written', () => {
    expect(statedTime('2024-05-01T01:00:00+02:00')).toEqual({ time: DAY - HOUR, day: '2024-05-01' });
    expect(statedTime('2024-05-01T23:00:00Z')).toEqual({ time: DAY + 23 * HOUR, day: '2024-05-01', inUtc: true });
  });

  it.each([
    '',
    'x',
    '2024',
    '2024-05',
    '2024-13-01',
    '2024-02-30',
    '01/02/2024',
    '1989-12-31',
    '2101-01-01',
    '9999999999',
    '0',
    '-1',
    '1 Foo 2024',
  ])('is not %j', (text) => expect(statedTime(text)).toBeUndefined());

  it('is unchanged after toISOString, and never throws', () => {
    const range = { min: new Date('1990-01-01'), max: new Date('2100-12-31'), noInvalidDate: true };
    fc.assert(
      fc.property(fc.date(range), fc.string(), (date, text) => {
        const second = Math.floor(date.getTime() / 1000) * 1000;
        expect(statedTime(date.toISOString())?.time).toBe(second);
        expect(statedTime(date.toUTCString())?.time).toBe(second);
        const any = statedTime(text);
        expect(any === undefined || Number.isFinite(any.time)).toBe(true);
      }),
      fuzzed(3, 500),
    );
  });
});

describe('the times in metadata', () => {
  it('come from the most specific names that can be read', () => {
    const metadata = {
      date: '2020-01-01',
      'article:published_time': '2024-05-01',
      'jsonld:datepublished': 'soon',
      'og:updated_time': '2024-05-02',
    };
    expect(statedTimes(metadata)).toMatchObject({ published: { day: '2024-05-01' }, modified: { day: '2024-05-02' } });
    expect(statedTimes({ constructor: '2024-05-01', title: '2024-05-01' })).toEqual({});
  });
});
