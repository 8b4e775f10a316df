import { late } from '../late.js';

export { DEFAULT_PORT } from '../names.js';
export type { CrawlRest, ContinuousCrawlOptions } from '../continuous/continuous-crawl.js';
export type * from '../../serve/public.js';

export const crawlContinuously = late(
  async () => (await import('../continuous/continuous-crawl.js')).crawlContinuously,
);
export const serve = late(async () => (await import('../serve.js')).serve);
