import type { Crawl } from '../packages/webcrawl/index.js';
import type { Cli } from './cli.js';
import { say } from './output/output.js';

/**
 * Warns a person at a terminal, before pages are fetched, that servers see no address to write to. Scripts, and those who asked
 * for quiet, are left in peace.
 */
export function askForContact({ io, options }: Cli, { settings }: Pick<Crawl, 'settings'>): void {
  if (io.stderr.isTTY !== true || options().quiet) return;
  const { agentName, agentUrl, agentEmail } = settings.http;
  if (agentUrl !== '' || agentEmail !== '') return;
  say(
    io,
    `Servers see the name ${agentName} and no contact; --set http.agentEmail=<address> or http.agentUrl=<page> gives one.`,
  );
}
