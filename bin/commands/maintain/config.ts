import type { Command } from 'commander';
import { library } from '../../library.js';
import type { Cli } from '../../cli.js';
import { jsonLine, write } from '../../output/output.js';
import { table } from '../../output/table.js';

export function addConfig(program: Command, cli: Cli): void {
  program
    .command('config')
    .summary('show the effective settings and their sources')
    .description('Shows the effective settings, and the source of each: default, file, environment or option.')
    .option('--describe', 'show type, default and meaning of every setting, instead of its value')
    .addHelpText(
      'after',
      `
A later source overrides an earlier one. In order: defaults, the JSON file of --config, the environment, --set. In
the environment http.agentName is WEBCRAWL_HTTP_AGENTNAME. The first _ after WEBCRAWL_ is the dot. Other _ and
case are ignored.

Examples:
  webcrawl config --config webcrawl.json
  webcrawl config --describe | grep -A 1 fetcher`,
    )
    .action(async ({ describe }: { describe?: boolean }) => {
      await write(cli.io.stdout, await (describe ? described(cli) : inForce(cli)));
    });
}

async function described(cli: Cli): Promise<string> {
  const { describeSettings } = await library();
  const settings = describeSettings();
  if (cli.options().json) return jsonLine(settings);
  return settings
    .map(({ key, type, default: value, doc }) => `${key}: ${type}, default ${JSON.stringify(value)}\n    ${doc}\n`)
    .join('');
}

async function inForce(cli: Cli): Promise<string> {
  const { loadSettings } = await library();
  const { config: file, set, json } = cli.options();
  const { sources } = loadSettings({ file, env: cli.io.env, overrides: set });
  if (json) return jsonLine(sources);
  return table(
    Object.entries(sources).map(([key, { value, source }]) => [key, `${JSON.stringify(value)}  (${source})`]),
  );
}
