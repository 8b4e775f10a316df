import type { JobContext, Report } from '../core/index.js';
import type { ExportKrakeOptions } from './krake/export-krake.js';
import type { Krake } from './krake/open-krake.js';

// The code for Krake's files is loaded only when an export needs it, because few exports do.

export async function exportKrake(crawl: JobContext, options: ExportKrakeOptions): Promise<Report> {
  const krake = await import('./krake/export-krake.js');
  return krake.exportKrake(crawl, options);
}

/** Calls `openKrake` of krake/open-krake.ts. That file is loaded at the first call. */
export async function openKrake(folder: string): Promise<Krake> {
  const krake = await import('./krake/open-krake.js');
  return krake.openKrake(folder);
}
