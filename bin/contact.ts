import type { OpenContext } from '../packages/webcrawl/internal.js';
import type { Cli } from './cli.js';
import { say } from './output/output.js';

/**
 * Warns a user at a terminal, before pages are fetched, that requests have no contact address. It prints no warning in scripts or with
 * `--quiet`.
 */
export function askForContact({ io, options }: Cli, { settings }: Pick<OpenContext, 'settings'>): void {
  if (io.stderr.isTTY !== true || options().quiet) return;
  const { agentName, agentUrl, agentEmail } = settings.http;
  if (agentUrl !== '' || agentEmail !== '') return;
  say(
    io,
    `Servers see the name ${agentName} and no contact. Set one: --set http.agentEmail=<address> or http.agentUrl=<page>.`,
  );
}
