import { expect, test } from 'vitest';
import { createFreshRanks } from '../../packages/graph/fresh-ranks.js';

const MINUTE = 60_000;

/** Ranks that take so many minutes each. */
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
  const ranks = createFreshRanks(
    steps,
    () => made.push('failed'),
    () => now,
  );
  return { ranks, steps, made, wait: (minutes: number) => void (now += minutes * MINUTE) };
}

test('a crawl that does not come to rest is ranked every ten minutes', async () => {
  const { ranks, made, wait } = ranksThatTake(0);
  for (let minute = 0; minute <= 25; minute++) {
    ranks.onUpdated();
    await ranks.settled();
    wait(1);
  }
  expect(made).toEqual(['ranked at 10', 'indexed', 'ranked at 20', 'indexed']);
});

test('at rest it is ranked once, and again when pages have changed and a tenth of the time is not spent', async () => {
  const { ranks, made, wait } = ranksThatTake(1);
  const rest = async (): Promise<void> => {
    ranks.onRest();
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

test('where ranks cannot be made it says so, and makes no more', async () => {
  const { ranks, steps, made } = ranksThatTake(0);
  steps.rank = () => Promise.reject(new Error('no room'));
  ranks.onRest();
  await expect(ranks.settled()).rejects.toThrow('no room');
  ranks.onUpdated();
  ranks.onRest();
  await expect(ranks.settled()).rejects.toThrow('no room');
  expect(made).toEqual(['failed']);
});
