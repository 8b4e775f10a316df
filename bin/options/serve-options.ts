import { isIP } from 'node:net';
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { ServeAddress, RunningServer, WriteAccess } from '../../packages/webcrawl/internal.js';
import { CrawlError, DEFAULT_PORT, defined } from '../../packages/webcrawl/names.js';
import type { Cli } from '../cli.js';
import { oneLine, say } from '../output/output.js';
import { eachGiven } from './arguments.js';

export interface ServeOptions {
  readonly port?: number;
  readonly listen?: string;
  readonly allowedHost?: readonly string[];
  readonly changes?: WriteAccess;
}

export function addServeOptions(command: Command): Command {
  return command
    .option('--port <n>', `port to listen on; 0 for any free port (default: ${DEFAULT_PORT})`, port)
    .option('--listen <address>', 'IP address to listen on; 0.0.0.0 for all (default: 127.0.0.1)', ipAddress)
    .option('--allowed-host <name>', 'host name to accept in requests; may be given many times', eachGiven)
    .addOption(
      new Option(
        '--changes <who>',
        'who may change rules on the pages. local: users of this machine, but no one if --listen lets other machines connect, or --allowed-host is given; all: anyone who can connect (default: local)',
      ).choices(['none', 'local', 'all'] satisfies WriteAccess[]),
    );
}

export function serveAddress({ port, listen, allowedHost: names = [], changes }: ServeOptions): ServeAddress {
  return { names, ...defined({ port, address: listen, changes }) };
}

export function sayWhere({ io, options }: Cli, { url }: RunningServer): void {
  if (options().quiet) return;
  say(io, `Search page: ${url}\nDashboard:   ${url}dashboard\nCtrl-C ends it.`);
}

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

function ipAddress(text: string): string {
  if (isIP(text) !== 0) return text;
  throw new InvalidArgumentError('not an IP address');
}

function port(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= 65_535) return value;
  throw new InvalidArgumentError('not a port from 0 to 65535');
}
