/** The functions of satellites that take an open context. A satellite is loaded when one of its functions is first called. */
import type { AuditOptions, OpenAuditReport } from '../audit/index.js';
import type { Changes, ChangesOptions } from '../changes/index.js';
import type * as exporting from '../export/index.js';
import type { HostFigures, HostsOptions } from '../hosts/index.js';
import type { CrawlContext } from '../jobs/index.js';
import type { SendChangesOptions, SentChanges } from '../watch/index.js';
import { checked, start, watched, type Started } from './jobs.js';
import { late } from './late.js';
import type { OpenContext } from './open-context.js';
import { checks } from './options/job-options.js';

export const { explain, checkParse, fetchDocument, urlOfSite } = late(
  () => import('../answers/index.js'),
  'explain',
  'checkParse',
  'fetchDocument',
  'urlOfSite',
);
export const { status } = late(() => import('./status.js'), 'status');
export const { openSearch, search } = late(() => import('./open-search.js'), 'openSearch', 'search');
export const { openIndexer } = late(() => import('../index/index.js'), 'openIndexer');
export const { serve } = late(() => import('./serve.js'), 'serve');
export const { crawlContinuously } = late(() => import('./continuous/continuous-crawl.js'), 'crawlContinuously');
export const { explainHost, plan } = late(() => import('../hosts/index.js'), 'explainHost', 'plan');
export const { auditOutput, ignoreRules, ignoreFindings, tellFindings } = late(
  () => import('../audit/index.js'),
  'auditOutput',
  'ignoreRules',
  'ignoreFindings',
  'tellFindings',
);
export const { mark, marks, unmark } = late(() => import('../changes/index.js'), 'mark', 'marks', 'unmark');
export const { changeTargets, removeChangeTarget } = late(
  () => import('../watch/index.js'),
  'changeTargets',
  'removeChangeTarget',
);
export const { openOutput, readByStoredSite, pageMarkdown, pageDump } = late(
  () => import('../export/index.js'),
  'openOutput',
  'readByStoredSite',
  'pageMarkdown',
  'pageDump',
);

export const auditRules = async () => (await import('../audit/index.js')).auditRules();

/** Other processes can see its progress. */
export async function audit(crawl: CrawlContext, options?: AuditOptions): Promise<OpenAuditReport> {
  const { audit } = await import('../audit/index.js');
  return start('audit', crawl, options, audit);
}

export async function* hosts(
  crawl: Pick<OpenContext, 'tables' | 'settings' | 'clock'>,
  options: HostsOptions = {},
): AsyncGenerator<HostFigures> {
  checks.hosts(options);
  yield* (await import('../hosts/index.js')).readHosts(crawl, options);
}

export async function sendChanges(crawl: CrawlContext, options: SendChangesOptions): Promise<SentChanges> {
  checks.sendChanges(options);
  const { sendChanges: send } = await import('../watch/index.js');
  return send(crawl, options);
}

export function changes(crawl: CrawlContext, options: ChangesOptions = {}): Changes {
  checks.changes(options);
  const opened = import('../changes/index.js').then(({ readChanges }) => readChanges(crawl, options));
  return {
    async *[Symbol.asyncIterator]() {
      yield* await opened;
    },
    summary: async () => (await opened).summary(),
    begin: async () => (await opened).begin(),
    next: async () => (await opened).next(),
  };
}

type Exports = typeof exporting;

/** Makes the job of an export of packages/export. It checks the options, and shows its progress to other processes. */
function exportJob<N extends keyof typeof checks & keyof Exports>(name: N, job: string): Started<Exports[N]> {
  return checked(checks[name], watched(job, late(() => import('../export/index.js'), name)[name]));
}

export const exportPages = exportJob('exportPages', 'export pages');
export const exportChunks = exportJob('exportChunks', 'export chunks');
export const exportWarc = exportJob('exportWarc', 'export warc');
export const exportWacz = exportJob('exportWacz', 'export wacz');
export const exportKrake = exportJob('exportKrake', 'export krake');
export const exportGraph = exportJob('exportGraph', 'graph');
