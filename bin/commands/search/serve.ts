import { once } from 'node:events';
import type { Command } from 'commander';
import { DEFAULT_PORT } from '../../../packages/webcrawl/names.js';
import { library } from '../../library.js';
import { open, type Cli } from '../../cli.js';
import { addServeOptions, sayError, sayWhere, serveAddress, type ServeOptions } from '../../options/serve-options.js';

/** `serve`: the search page, the dashboard and the metrics of a table, until it is stopped. */
export function addServe(program: Command, cli: Cli): void {
  const command = program
    .command('serve')
    .summary('serve a search page, a dashboard and metrics')
    .description(
      'Serves a search page over the search index, a dashboard of the crawl that runs, an API and metrics, until it is ' +
        'stopped. It only reads, but for rules that are changed on its pages: crawls and other jobs of other processes go on beside it, and get the table when they need it alone. ' +
        'Where index.writer is jsonl nothing is searched: searches are answered with 503, and all else is served.',
    );
  addServeOptions(command)
    .addHelpText(
      'after',
      `
  /                   search page             /api/search?q=   the same as JSON
  /dashboard          what the crawl is at    /api/status      the same as JSON
  /rules              the rules, with buttons /api/rules       the same as JSON
  /metrics            for Prometheus          /healthz         ok, or what is wrong

It listens on 127.0.0.1, port ${DEFAULT_PORT}: nobody else reaches it. There are no passwords: for others put a
reverse proxy before it, and name by --host what that is asked for; requests for other names are
refused. Rules are changed by who asks on this machine, and by nobody where --host is given, unless
--changes all says so: whoever reaches the server may then. docs/SEARCH.md has examples.

Examples:
  webcrawl serve
  webcrawl serve --port 0                              # any free port; says which
  webcrawl serve --host search.example.com             # behind a proxy of that name
  webcrawl serve --host 0.0.0.0 --host build.example   # to all who reach this machine`,
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
