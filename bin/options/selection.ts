import type { Command } from 'commander';
import type { PageSelection, Status } from '../../packages/webcrawl/internal.js';
import { CrawlError, PROTOCOL_CODES, RENAMED_CODES, STATUSES } from '../../packages/webcrawl/names.js';
import { listOf, refuseRenamed } from './arguments.js';
import type { Cli } from '../cli.js';
import { comingMomentOrMark, MOMENT, momentOrMark } from './moment.js';
import { say } from '../output/output.js';

export interface SelectionOptions extends PageSelection {
  readonly status?: readonly Status[];
  readonly code?: readonly string[];
}

export const SELECTION_HELP = `A page is selected if it meets every given option. Examples of times:
${MOMENT}. The name of a mark is
a time too (webcrawl mark). For --fetched-since and --fetched-before a duration is before
now, and for --due-before it is after now. A time without a zone is UTC. The protocol codes are in docs/REFERENCE.md.`;

export function addSelection(command: Command): Command {
  return command
    .option('--host <host>', 'pages of this host')
    .option('--domain <domain>', 'pages of this domain and its sub-domains')
    .option('--prefix <url>', 'pages whose URL begins with this URL')
    .option(
      '--status <names>',
      `pages with these statuses, separated by commas: ${STATUSES.join(', ')}; fetched includes notmodified`,
      listOf<Status>(STATUSES),
    )
    .option(
      '--code <codes>',
      'pages with these results of the last fetch, separated by commas: protocol codes or HTTP statuses',
      codesOf,
    )
    .option('--fetched-since <time>', 'pages last fetched at this time or later', momentOrMark)
    .option('--fetched-before <time>', 'pages last fetched before this time', momentOrMark)
    .option('--due-before <time>', 'pages that are due before this time', comingMomentOrMark)
    .option('--rejected', 'pages that the present URL filters reject');
}

export function selectionOf(options: SelectionOptions): PageSelection {
  const { host, domain, prefix, status, code, fetchedSince, fetchedBefore, dueBefore, rejected } = options;
  if ([host, domain, prefix].filter((range) => range !== undefined).length > 1) {
    throw new CrawlError('USAGE', '--host, --domain and --prefix cannot be combined');
  }
  const given = { host, domain, prefix, status, code, fetchedSince, fetchedBefore, dueBefore, rejected };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** Warns of codes that webcrawl does not have. Otherwise a misspelt code would look as if no page matched. */
export function noteUnknownCodes(cli: Cli, { code = [] }: SelectionOptions): void {
  const unknown = code.filter((name) => !(Object.hasOwn(PROTOCOL_CODES, name) || /^\d{3}$|^plugin_error_/.test(name)));
  if (unknown.length === 0 || cli.options().quiet) return;
  say(
    cli.io,
    `webcrawl has no protocol code ${unknown.join(', ')}; its codes are: ${Object.keys(PROTOCOL_CODES).join(', ')}`,
  );
}

/** Reads codes. Any word is accepted but a former code of webcrawl, because protocols of plugins have other codes. */
function codesOf(text: string): readonly string[] {
  const codes = text
    .split(',')
    .map((code) => code.trim())
    .filter((code) => code !== '');
  refuseRenamed(codes, RENAMED_CODES);
  return codes;
}
