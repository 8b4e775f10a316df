import { describe, expect, it } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { changeMessage, MAX_BODY_BYTES } from '../../packages/watch/message.js';
import { nextState } from '../../packages/watch/next-state.js';
import { ATTEMPTS, isLater, outcomeOf, retryAfter, type Outcome } from '../../packages/watch/schedule.js';
import { keyOfSecret, signedHeaders } from '../../packages/watch/sign.js';
import { MAX_STORED_GIVEN_UP, newTarget, type TargetState } from '../../packages/watch/target-state.js';
import type { PageRecord } from '../../packages/changes/index.js';

const SECRET = `whsec_${Buffer.alloc(24, 3).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(64, 4).toString('base64')}`;
const HOUR = 3_600_000;
const NOW = 1_800_000_000_000;

describe('a signature', () => {
  it('is accepted by the library of receivers, with either of two secrets', () => {
    const message = { id: 'msg_1', body: '{"type":"page.changed","a":"ä"}' };
    const headers = signedHeaders(message, [SECRET, OTHER].map(keyOfSecret), Date.now());
    for (const secret of [SECRET, OTHER]) expect(new Webhook(secret).verify(message.body, headers)).toBeTruthy();
    const strange = new Webhook(`whsec_${Buffer.alloc(24, 9).toString('base64')}`);
    expect(() => strange.verify(message.body, headers)).toThrow('No matching signature');
  });

  it.each(['', 'whsec_', 'secret', `whsec_${'a'.repeat(28)}`, `whsec_${'a'.repeat(120)}`, `${SECRET}!`])(
    'rejects the secret %j, without showing it',
    (secret) => {
      expect(() => keyOfSecret(secret)).toThrow('expected a secret of whsec_ and 24 to 64 bytes');
      if (secret.length > 8) expect(() => keyOfSecret(secret)).not.toThrow(secret);
    },
  );
});

describe('the schedule', () => {
  it('follows the specification, over three days, with a random part', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((attempts) => retryAfter(attempts, 0));
    expect(waits).toEqual([5_000, 300_000, HOUR / 2, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR]);
    expect(retryAfter(10, 0)).toBeUndefined();
    expect(retryAfter(1, 1)).toBe(5_500);
    expect(ATTEMPTS.reduce((sum, wait) => sum + wait)).toBeGreaterThan(72 * HOUR);
  });

  it('does not wait for a time that is far away because the clock was set back', () => {
    expect([isLater(NOW + HOUR, NOW), isLater(NOW, NOW), isLater(NOW + 100 * HOUR, NOW)]).toEqual([true, false, false]);
  });

  it.each<[number, string | undefined, Outcome]>([
    [200, undefined, { is: 'delivered' }],
    [204, undefined, { is: 'delivered' }],
    [301, undefined, { is: 'failed', why: 'http_301', pause: 0 }],
    [307, undefined, { is: 'failed', why: 'http_307', pause: 0 }],
    [400, undefined, { is: 'failed', why: 'http_400', pause: 0 }],
    [410, undefined, { is: 'ended' }],
    [429, undefined, { is: 'failed', why: 'http_429', pause: 10_000 }],
    [500, undefined, { is: 'failed', why: 'http_500', pause: 0 }],
    [500, '7', { is: 'failed', why: 'http_500', pause: 7_000 }],
    [502, undefined, { is: 'failed', why: 'http_502', pause: 10_000 }],
    [503, '120', { is: 'failed', why: 'http_503', pause: 120_000 }],
    [504, new Date(NOW + HOUR).toUTCString(), { is: 'failed', why: 'http_504', pause: HOUR }],
    [504, '99999999', { is: 'failed', why: 'http_504', pause: 24 * HOUR }],
    [504, 'soon', { is: 'failed', why: 'http_504', pause: 10_000 }],
    [504, 'soon 2099', { is: 'failed', why: 'http_504', pause: 10_000 }],
    [504, '-5', { is: 'failed', why: 'http_504', pause: 10_000 }],
    [504, '9'.repeat(400), { is: 'failed', why: 'http_504', pause: 24 * HOUR }],
  ])('handles %s with Retry-After %s', (status, asked, expected) => {
    const answer = { status, ...(asked !== undefined && { retryAfter: asked }) };
    expect(outcomeOf(answer, 2, NOW)).toEqual(expected);
  });

  it('slows down without an answer', () => {
    expect(outcomeOf({ error: 'econnrefused' }, 1, NOW)).toEqual({ is: 'failed', why: 'econnrefused', pause: 5_000 });
    expect(outcomeOf({ error: 'timeout' }, 50, NOW)).toMatchObject({ pause: HOUR / 4 });
  });
});

describe('the state of a target', () => {
  const start = newTarget({ target: 'https://a/', addedAt: NOW, cursor: '0', sender: 's' });
  const failed: Outcome = { is: 'failed', why: 'http_500', pause: 0 };
  const when = { now: NOW, random: 0 };

  it('moves its cursor as a message is delivered, or recorded as failed', () => {
    const one = nextState(start, { cursor: '1' }, { is: 'delivered' }, when);
    expect(one).toMatchObject({ cursor: '1', delivered: 1, waiting: [] });
    const two = nextState(one, { cursor: '2' }, { ...failed, pause: 9 }, when);
    expect(two).toMatchObject({ cursor: '2', failures: 1, notBefore: NOW + 9 });
    expect(two.waiting).toEqual([
      { cursor: '2', firstAttemptAt: NOW, attempts: 1, why: 'http_500', dueAt: NOW + 5_000 },
    ]);
    const before = two.waiting[0]!;
    // A message that is retried does not move the cursor.
    const moved = { ...two, cursor: '9' };
    expect(nextState(moved, { cursor: '2', before }, { is: 'delivered' }, when)).toMatchObject({
      cursor: '9',
      delivered: 2,
      waiting: [],
      failures: 0,
      notBefore: 0,
    });
  });

  it('gives up a message after ten attempts, counts it, and keeps the last of them', () => {
    let state: TargetState = start;
    for (let attempts = 1; attempts <= 10; attempts++) {
      const before = state.waiting[0];
      state = nextState(state, { cursor: '1', ...(before && { before }) }, failed, { now: NOW + attempts, random: 0 });
      expect([state.waiting.length, state.dead]).toEqual(attempts < 10 ? [1, 0] : [0, 1]);
    }
    expect(state.deadLetters).toEqual([
      { cursor: '1', firstAttemptAt: NOW + 1, attempts: 10, why: 'http_500', givenUpAt: NOW + 10 },
    ]);
    const many = { ...state, deadLetters: Array.from({ length: MAX_STORED_GIVEN_UP }, () => state.deadLetters[0]!) };
    const last = { cursor: '2', firstAttemptAt: NOW, dueAt: NOW, attempts: 9, why: 'x' };
    const next = nextState({ ...many, waiting: [last] }, { cursor: '2', before: last }, failed, when);
    expect([next.dead, next.deadLetters.length, next.deadLetters.at(-1)!.cursor]).toEqual([
      2,
      MAX_STORED_GIVEN_UP,
      '2',
    ]);
  });

  it('stays as it is after the target has unsubscribed', () => {
    expect(nextState(start, { cursor: '1' }, { is: 'ended' }, when)).toEqual({ ...start, endedAt: NOW });
  });
});

describe('a message', () => {
  const record = (change: Partial<PageRecord> = {}): PageRecord => ({
    type: 'page',
    url: 'http://a.com/',
    kinds: ['title'],
    at: NOW,
    between: { to: NOW },
    after: { is: 'page', title: 'T' },
    cursor: '00000000000000|1|pcom.a:http/',
    ...change,
  });
  const channel = { tableId: 't', target: 'https://b/' };

  it('has the same id in each attempt, and another one for another change, target or table', () => {
    const { id, body } = changeMessage(record(), channel);
    expect(changeMessage(record(), channel).id).toBe(id);
    expect(id).toMatch(/^msg_[\w-]{27}$/);
    expect(JSON.parse(body)).toMatchObject({ type: 'page.changed', data: { url: 'http://a.com/', kinds: ['title'] } });
    const others = [
      changeMessage(record({ cursor: '00000000000000|1|pcom.a:http/b' }), channel),
      changeMessage(record(), { ...channel, target: 'https://c/' }),
      changeMessage(record(), { ...channel, tableId: 'u' }),
    ];
    expect(new Set([id, ...others.map((other) => other.id)]).size).toBe(4);
  });

  it.each([
    ['http://a.com/', 'http://b.com/'],
    ['http://a.com/', `http://b.com/${'x'.repeat(30_000)}`],
    [`http://a.com/${'x'.repeat(30_000)}`, 'http://b.com/'],
  ])('is below 20 kB', (url, target) => {
    const { body } = changeMessage(record({ url, after: { is: 'redirect', target } }), channel);
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(MAX_BODY_BYTES);
    const { data } = JSON.parse(body) as { data: { url: string; cut?: true } };
    expect(url.startsWith(data.url)).toBe(true);
    expect(data.cut).toBe(url.length + target.length > 1000 ? true : undefined);
  });
});
