import type * as exporting from '../../export/index.js';
import { checked, watched } from '../jobs.js';
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
function exportJob<N extends ExportName>(name: N, job: string): Exports[N] {
  return checked(
    checks[name],
    watched(
      job,
      late<Exports[N]>(async () => (await import('../../export/index.js'))[name]),
    ),
  );
}

/** See `exportPages` of packages/export. */
export const exportPages = exportJob('exportPages', 'export pages');
/** See `exportWarc` of packages/export. */
export const exportWarc = exportJob('exportWarc', 'export warc');
/** See `exportWacz` of packages/export. */
export const exportWacz = exportJob('exportWacz', 'export wacz');
/** See `exportKrake` of packages/export. */
export const exportKrake = exportJob('exportKrake', 'export krake');
/** See `exportGraph` of packages/export. */
export const exportGraph = exportJob('exportGraph', 'graph');
/** See `exportChunks` of packages/export. */
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

/** See `openOutput` of packages/export. */
export const openOutput = late(async () => (await import('../../export/index.js')).openOutput);
/** See `openKrake` of packages/export. */
export const openKrake = late(async () => (await import('../../export/index.js')).openKrake);
/** See `pageDump` of packages/export. */
export const pageDump = late(async () => (await import('../../export/index.js')).pageDump);
