import { isIP } from 'node:net';
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { ServeAddress, Served, WhoMayChange } from '../../packages/webcrawl/internal.js';
import { CrawlError, DEFAULT_PORT, defined } from '../../packages/webcrawl/names.js';
import type { Cli } from '../cli.js';
import { oneLine, say } from '../output/output.js';
import { eachGiven } from './arguments.js';

export interface ServeOptions {
  readonly port?: number;
  /** Addresses to listen on, and host names. */
  readonly host?: readonly string[];
  readonly changes?: WhoMayChange;
}

export function addServeOptions(command: Command): Command {
  return command
    .option('--port <n>', `port to listen on; 0 for any free port (default: ${DEFAULT_PORT})`, port)
    .option(
      '--host <address or name>',
      'address to listen on (default: 127.0.0.1), or host name to accept in requests; may be given many times',
      eachGiven,
    )
    .addOption(
      new Option(
        '--changes <who>',
        'users who may change rules on the pages; local: users of this machine, and no one if other machines can reach the server; all: anyone who can reach the server (default: local)',
      ).choices(['none', 'local', 'all'] satisfies WhoMayChange[]),
    );
}

/**
 * Splits the values of `--host` into the address to listen on and the host names that requests may use.
 * @throws InvalidArgumentError for more than one address
 */
export function serveAddress({ port, host = [], changes }: ServeOptions): ServeAddress {
  const addresses = host.filter((each) => isIP(each) !== 0);
  if (addresses.length > 1) {
    throw new InvalidArgumentError(`Expected one address to listen on, found ${addresses.join(', ')}; 0.0.0.0 is all.`);
  }
  const [address] = addresses;
  const names = host.filter((each) => isIP(each) === 0);
  return { names, ...defined({ port, address, changes }) };
}

export function sayWhere({ io, options }: Cli, { url }: Served): void {
  if (options().quiet) return;
  say(io, `Search page: ${url}\nDashboard:   ${url}dashboard\nCtrl-C ends it.`);
}

/** Returns a function that writes errors to the log of the server. Clients receive only the code of an error. */
export function sayError({ io }: Cli): (error: unknown) => void {
  return (error) => {
    // The stop has closed the table during a read, so this is no error.
    if (io.signal.aborted && error instanceof CrawlError && error.code === 'CLOSED') return;
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
