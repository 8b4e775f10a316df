import type { HostFigures, HostsOptions } from '../../hosts/index.js';
import { late } from '../late.js';
import type { OpenContext } from '../open-context.js';
import { checks } from '../options/job-options.js';

export { HOST_SORTS, MOST_HOSTS } from '../names.js';
export type * from '../../hosts/public.js';

export async function* hosts(
  crawl: Pick<OpenContext, 'tables' | 'settings' | 'clock'>,
  options: HostsOptions = {},
): AsyncGenerator<HostFigures> {
  checks.hosts(options);
  yield* (await import('../../hosts/index.js')).readHosts(crawl, options);
}
export const explainHost = late(async () => (await import('../../hosts/index.js')).explainHost);
export const plan = late(async () => (await import('../../hosts/index.js')).plan);
