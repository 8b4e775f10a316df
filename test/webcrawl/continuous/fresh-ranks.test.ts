import { expect, test } from 'vitest';
import { createFreshRanks } from '../../../packages/webcrawl/continuous/fresh-ranks.js';
import { createRetry } from '../../../packages/webcrawl/retry.js';

const MINUTE = 60_000;

/** Ranks that take the given number of minutes each. */
function ranksThatTake(minutes: number) {
  let now = 0;
  const made: string[] = [];
  const steps = {
    rank: () => {
      made.push(`ranked at ${now / MINUTE}`);
      now += minutes * MINUTE;
      return Promise.resolve();
    },
    index: () => {
      made.push('indexed');
      return Promise.resolve();
    },
  };
  const retry = createRetry(
    'rank',
    {
      running: { setFailing: (_, failure) => void made.push(failure ? `failed ${failure.times}` : 'works') },
      clock: () => now,
    },
    () => now,
  );
  const ranks = createFreshRanks(steps, retry, () => now);
  return { ranks, steps, made, wait: (minutes: number) => void (now += minutes * MINUTE) };
}

test('a crawl without a rest is ranked every ten minutes', async () => {
  const { ranks, made, wait } = ranksThatTake(0);
  for (let minute = 0; minute <= 25; minute++) {
    ranks.onUpdated();
    await ranks.settled();
    wait(1);
  }
  expect(made).toEqual(['ranked at 10', 'indexed', 'ranked at 20', 'indexed']);
});

test('at rest it is ranked once, and again after changes once ranking took less than a tenth of the time', async () => {
  const { ranks, made, wait } = ranksThatTake(1);
  const rest = async (): Promise<void> => {
    ranks.onIdle();
    await ranks.settled();
  };
  await rest();
  expect(made.splice(0)).toEqual(['ranked at 0', 'indexed']);
  wait(20);
  await rest();
  expect(made).toEqual([]);
  ranks.onUpdated();
  await ranks.settled();
  expect(made.splice(0)).toEqual(['ranked at 21', 'indexed']);
  ranks.onUpdated();
  wait(8);
  await rest();
  expect(made).toEqual([]);
  wait(1);
  await rest();
  expect(made).toEqual(['ranked at 31', 'indexed']);
});

test('if ranking fails, it is retried with growing pauses', async () => {
  const { ranks, steps, made, wait } = ranksThatTake(0);
  const { rank } = steps;
  steps.rank = () => Promise.reject(new Error('no room'));
  const SECONDS = 1 / 60;
  for (let second = 0; second < 200; second++) {
    ranks.onIdle();
    await ranks.settled();
    wait(SECONDS);
  }
  // After 1, 2, 4, … and then every 60 seconds.
  expect(made.splice(0)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9].map((times) => `failed ${times}`));
  steps.rank = rank;
  wait(1);
  ranks.onUpdated();
  await ranks.settled();
  expect(made).toEqual([expect.stringContaining('ranked at'), 'indexed', 'works']);
});

test('ranking that fails late is not retried before nine times its duration has passed', async () => {
  const { ranks, steps, made, wait } = ranksThatTake(1);
  const { rank } = steps;
  steps.rank = () => rank().then(() => Promise.reject(new Error('no room')));
  for (const minutes of [0, 8, 1]) {
    wait(minutes);
    ranks.onIdle();
    ranks.onUpdated();
    await ranks.settled();
  }
  expect(made).toEqual(['ranked at 0', 'failed 1', 'ranked at 10', 'failed 2']);
});
