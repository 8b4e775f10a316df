import type { Command } from 'commander';
import { header, seconds } from './arguments.js';

export interface RequestOptions {
  readonly delay?: number | undefined;
  readonly agent?: string | undefined;
  readonly header?: Readonly<Record<string, string>> | undefined;
}

export function addRequestOptions(command: Command): Command {
  return command
    .option('--delay <seconds>', 'delay between two requests to a host; short for fetcher.serverDelay', seconds)
    .option('--agent <name>', 'name of the crawler, for servers and robots.txt; short for http.agentName')
    .option(
      "-H, --header <'name: value'>",
      'header to send with every request, to every host; may be given many times',
      header,
    );
}

export function requestSettings({ delay, agent, header }: RequestOptions): Readonly<Record<string, unknown>> {
  return {
    ...(delay !== undefined && { 'fetcher.serverDelay': delay, 'fetcher.serverMinDelay': delay }),
    ...(agent !== undefined && { 'http.agentName': agent }),
    ...(header && { 'http.headers': header }),
  };
}
