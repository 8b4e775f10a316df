import type { Command } from 'commander';
import type { PageSelection, Status } from '../../packages/webcrawl/index.js';
import { CrawlError, PROTOCOL_CODES, STATUSES } from '../../packages/webcrawl/names.js';
import { listOf } from './arguments.js';
import type { Cli } from '../cli.js';
import { comingMoment, MOMENT, pastMoment } from './moment.js';
import { say } from '../output/output.js';

/** The options that select pages, of every verb that has them. */
export interface SelectionOptions {
  readonly host?: string;
  readonly domain?: string;
  readonly prefix?: string;
  readonly status?: readonly Status[];
  readonly code?: readonly string[];
  readonly fetchedSince?: number;
  readonly fetchedBefore?: number;
  readonly dueBefore?: number;
  readonly rejected?: boolean;
}

/** What the help of a verb says of its selection. */
export const SELECTION_HELP = `A page is selected when every option given holds for it. Times are such as
${MOMENT}; a duration counts back from now for
--fetched-since and --fetched-before, and from now on for --due-before. A time without a zone is
UTC. The protocol codes are in docs/REFERENCE.md.`;

/** Adds the options that select pages. */
export function addSelection(command: Command): Command {
  return command
    .option('--host <host>', 'pages of this host')
    .option('--domain <domain>', 'pages of this domain and its sub-domains')
    .option('--prefix <url>', 'pages whose URL begins so')
    .option('--status <names>', `pages of these statuses, by commas: ${STATUSES.join(', ')}`, listOf<Status>(STATUSES))
    .option('--code <codes>', 'pages whose last fetch ended so, by commas: protocol codes, HTTP statuses', codesOf)
    .option('--fetched-since <time>', 'pages last fetched then or later', pastMoment)
    .option('--fetched-before <time>', 'pages last fetched before', pastMoment)
    .option('--due-before <time>', 'pages that are due before', comingMoment)
    .option('--rejected', 'pages that the URL filters in force reject');
}

/**
 * The selection that options make.
 * @throws CrawlError USAGE for more than one of host, domain and prefix
 */
export function selectionOf(options: SelectionOptions): PageSelection {
  const { host, domain, prefix, status, code, fetchedSince, fetchedBefore, dueBefore, rejected } = options;
  if ([host, domain, prefix].filter((range) => range !== undefined).length > 1) {
    throw new CrawlError('USAGE', 'expected at most one of --host, --domain and --prefix');
  }
  const given = { host, domain, prefix, status, code, fetchedSince, fetchedBefore, dueBefore, rejected };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** Says of codes that webcrawl has none of: a slip would otherwise look like no page. */
export function noteUnknownCodes(cli: Cli, { code = [] }: SelectionOptions): void {
  const unknown = code.filter((name) => !(Object.hasOwn(PROTOCOL_CODES, name) || /^\d{3}$|^plugin_error_/.test(name)));
  if (unknown.length === 0 || cli.options().quiet) return;
  say(
    cli.io,
    `webcrawl has no protocol code ${unknown.join(', ')}; those it has: ${Object.keys(PROTOCOL_CODES).join(', ')}`,
  );
}

/** Any word may be one: protocols of plugins have codes of their own. */
function codesOf(text: string): readonly string[] {
  return text
    .split(',')
    .map((code) => code.trim())
    .filter((code) => code !== '');
}
