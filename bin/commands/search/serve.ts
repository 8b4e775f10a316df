import { once } from 'node:events';
import type { Command } from 'commander';
import { DEFAULT_PORT } from '../../../packages/webcrawl/names.js';
import { library } from '../../library.js';
import { open, type Cli } from '../../cli.js';
import { addServeOptions, sayError, sayWhere, serveAddress, type ServeOptions } from '../../options/serve-options.js';

export function addServe(program: Command, cli: Cli): void {
  const command = program
    .command('serve')
    .summary('serve a search page, a dashboard and metrics')
    .description(
      'Serves a search page over the search index, a dashboard of the running crawl, an API and metrics, until it is ' +
        'stopped. It changes nothing except the rules that you edit on its pages. Jobs in other processes continue, and the server yields the table to jobs that need exclusive access.',
    );
  addServeOptions(command)
    .addHelpText(
      'after',
      `
Pages:
  /           search page; /api/search?q= has the same as JSON
  /dashboard  progress of the crawl; /api/status has the same as JSON
  /rules      the rules, with buttons; /api/rules has the same as JSON
  /changes    what has changed; /api/changes has the same as JSON or as a feed
  /metrics    for Prometheus
  /healthz    ok, or what is wrong

It listens on 127.0.0.1, port ${DEFAULT_PORT}: only this machine reaches it. There are no passwords. To serve
other machines, put a reverse proxy before it, and give its public name with --allowed-host. Requests
for other names are refused. --listen 0.0.0.0 listens on all addresses of the machine. Only users of
this machine can change rules. With --allowed-host, or a --listen address that other machines reach, no one
can, unless --changes all is given: then anyone who reaches the server can. docs/SEARCH.md has examples.

Examples:
  webcrawl serve
  webcrawl serve --port 0                            # any free port
  webcrawl serve --allowed-host search.example.com   # behind a proxy
  webcrawl serve --listen 0.0.0.0 --allowed-host build.example`,
    )
    .action(async (options: ServeOptions) => {
      const where = serveAddress(options);
      await using crawl = await open(cli, { name: 'serve', yields: true });
      const { serve } = await library();
      await using served = await serve(crawl, { ...where, onError: sayError(cli) });
      sayWhere(cli, served);
      const { signal } = cli.io;
      if (!signal.aborted) await once(signal, 'abort');
    });
}
