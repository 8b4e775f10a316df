import type { Command } from 'commander';
import type { OpenContext, ExportOptions, ExportSelection, Report } from '../../../packages/webcrawl/internal.js';

export const OUTPUT_HELP = 'file or folder to make, or s3://bucket/name; - for standard output';
export const FORCE_HELP = 'replace an earlier export at the target, and no other files, when the new one is complete';

export const ALL_HELP = `Some rows are left out and counted: rows without a page (not fetched yet, gone, redirected), pages with noindex,
and duplicates that dedup has marked. --all exports them. With --status, --code, --due-before or --rejected,
rows without a page are exported too.`;

export function addAll(command: Command): Command {
  return command.option('--all', 'include pages that are gone or not fetched yet, pages with noindex, and duplicates');
}

export type CommonExportOptions = ExportOptions & ExportSelection;

export interface ExportFormat<O extends object = object> {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly addOptions: (command: Command) => Command;
  readonly help: string;
  readonly isText: (options: O) => boolean;
  readonly run: (crawl: OpenContext, common: CommonExportOptions, options: O) => Promise<Report>;
}
