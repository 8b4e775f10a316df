import type * as exporting from '../../export/index.js';
import { checked, watched, type Started } from '../jobs.js';
import { late } from '../late.js';
import { checks } from '../options/job-options.js';

export {
  CHUNK_WORDS,
  COMPUTED_FIELD_NAMES,
  GRAPH_FORMATS,
  LINK_LISTS,
  PAGE_FORMATS,
  csvRecord,
  looksLikeFormula,
} from '../names.js';
export { COMPUTED_FIELDS } from '../../export/markdown/computed-field-table.js';
export { surt } from '../../export/warc/surt.js';
export type * from '../../export/public.js';

type Exports = typeof exporting;
type ExportName = keyof typeof checks & keyof Exports;

/** Makes the job of an export of packages/export. It checks the options, and shows its progress to other processes. */
function exportJob<N extends ExportName>(name: N, job: string): Started<Exports[N]> {
  return checked(
    checks[name],
    watched(
      job,
      late<Exports[N]>(async () => (await import('../../export/index.js'))[name]),
    ),
  );
}

export const exportPages = exportJob('exportPages', 'export pages');
export const exportWarc = exportJob('exportWarc', 'export warc');
export const exportWacz = exportJob('exportWacz', 'export wacz');
export const exportKrake = exportJob('exportKrake', 'export krake');
export const exportGraph = exportJob('exportGraph', 'graph');
export const exportChunks = exportJob('exportChunks', 'export chunks');

/** All exports by name. */
export const exports = {
  pages: exportPages,
  chunks: exportChunks,
  warc: exportWarc,
  wacz: exportWacz,
  krake: exportKrake,
  graph: exportGraph,
} as const;

export const openOutput = late(async () => (await import('../../export/index.js')).openOutput);
/** See `openKrake` of packages/export. */
export const openKrake = late(async () => (await import('../../export/index.js')).openKrake);
export const readByStoredSite = late(async () => (await import('../../export/index.js')).readByStoredSite);
export const pageMarkdown = late(async () => (await import('../../export/index.js')).pageMarkdown);
export const pageDump = late(async () => (await import('../../export/index.js')).pageDump);
