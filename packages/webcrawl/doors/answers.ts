import { late } from '../late.js';

export { DUMP_FIELDS, FURTHER_FIELDS, MAX_SORTED, SORT_FIELDS } from '../names.js';
export { checkRobots } from '../../answers/check-robots.js';
export { checkUrl } from '../../answers/check-url.js';
export { dumpPage, stats } from '../../answers/readdb.js';
export type { StatusCrawl } from '../status.js';
export type * from '../../answers/public.js';

export const explain = late(async () => (await import('../../answers/index.js')).explain);
export const checkParse = late(async () => (await import('../../answers/index.js')).checkParse);
export const fetchDocument = late(async () => (await import('../../answers/index.js')).fetchDocument);
export const urlOfSite = late(async () => (await import('../../answers/index.js')).urlOfSite);
export const status = late(async () => (await import('../status.js')).status);
