import { isIP } from 'node:net';
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { ServeAddress, Served, WhoMayChange } from '../../packages/webcrawl/index.js';
import { CrawlError, DEFAULT_PORT } from '../../packages/webcrawl/names.js';
import type { Cli } from '../cli.js';
import { oneLine, say } from '../output/output.js';
import { eachGiven } from './arguments.js';

/** The options of verbs that serve. */
export interface ServeOptions {
  readonly port?: number;
  /** Addresses and names. */
  readonly host?: readonly string[];
  readonly changes?: WhoMayChange;
}

/** Adds `--port`, `--host` and `--changes`. */
export function addServeOptions(command: Command): Command {
  return command
    .option('--port <n>', `where to listen; 0 for any that is free (default: ${DEFAULT_PORT})`, port)
    .option(
      '--host <address or name>',
      'an address to listen on (default: 127.0.0.1), or a name to answer to; may be given many times',
      eachGiven,
    )
    .addOption(
      new Option(
        '--changes <who>',
        'who may change rules on the pages: none; local, who asks on this machine where the server is only for it; all who reach it (default: local)',
      ).choices(['none', 'local', 'all'] satisfies WhoMayChange[]),
    );
}

/**
 * Where to listen, and what to answer to: an address is listened on, a name is answered to.
 * @throws InvalidArgumentError for more than one address
 */
export function serveAddress({ port, host = [], changes }: ServeOptions): ServeAddress {
  const addresses = host.filter((each) => isIP(each) !== 0);
  if (addresses.length > 1) {
    throw new InvalidArgumentError(`Expected one address to listen on, found ${addresses.join(', ')}; 0.0.0.0 is all.`);
  }
  const [address] = addresses;
  const names = host.filter((each) => isIP(each) === 0);
  return {
    names,
    ...(port !== undefined && { port }),
    ...(address !== undefined && { address }),
    ...(changes !== undefined && { changes }),
  };
}

/** Says where to look. */
export function sayWhere({ io, options }: Cli, { url }: Served): void {
  if (options().quiet) return;
  say(io, `Search page: ${url}\nDashboard:   ${url}dashboard\nCtrl-C ends it.`);
}

/** Writes failures of which clients learn only the code: this is the log of the server. */
export function sayError({ io }: Cli): (error: unknown) => void {
  return (error) => {
    const what = error instanceof CrawlError ? `${error.code}: ${error.message}` : error;
    say(
      io,
      oneLine(`${new Date().toISOString()} ${what instanceof Error ? (what.stack ?? what.message) : String(what)}`),
    );
  };
}

function port(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= 65_535) return value;
  throw new InvalidArgumentError('Expected a port from 0 to 65535.');
}
