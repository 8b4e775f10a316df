import { expect, it } from 'vitest';
import { createStats } from '../../packages/serve/live/stats.js';
import { aStatus } from '../support/web/fake-source.js';

it('returns the last figures with a problem if the table does not answer in time, and new ones when it does', async () => {
  let asked = 0;
  let answer = (): void => {};
  let time = 0;
  const stats = createStats(
    () => {
      asked += 1;
      const status = aStatus({ now: asked });
      return asked === 1 ? Promise.resolve(status) : new Promise((resolve) => (answer = () => resolve(status)));
    },
    { now: () => (time += 1000), wait: 5 },
  );
  expect(await stats.read()).toMatchObject({ status: { now: 1 } });
  for (let i = 0; i < 3; i += 1) {
    expect(await stats.read()).toMatchObject({ status: { now: 1 }, problem: { status: 503, code: 'LATE' } });
  }
  // It is not asked again before it has answered.
  expect(asked).toBe(2);
  answer();
  await Promise.resolve();
  const next = await stats.read();
  expect(next.problem === undefined || asked === 3).toBe(true);
  expect(next.status?.now).toBe(2);
});
