import { expect, it, vi } from 'vitest';
import { createRunningJobs } from '../../../packages/jobs/reporting/running-jobs.js';
import { testCrawl } from '../../support/test-crawl.js';

it('an onProgress that throws ends the job and not the process', async () => {
  await using crawl = await testCrawl(undefined);
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    let calls = 0;
    const onProgress = (): void => {
      calls += 1;
      throw new Error('mine');
    };
    const running = createRunningJobs(crawl).run('fetch', { onProgress }, async (_watch, options) => {
      vi.advanceTimersByTime(1000);
      expect(calls).toBe(1);
      options?.onProgress();
      return Promise.reject(new Error('not reached'));
    });
    await expect(running).rejects.toThrow('mine');
    vi.advanceTimersByTime(5000);
    expect(calls).toBe(2);
  } finally {
    vi.useRealTimers();
  }
});
