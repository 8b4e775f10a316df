import type { Command } from 'commander';
import { header, seconds } from './arguments.js';

/** The options of verbs that make requests, each short for a setting. */
export interface RequestOptions {
  readonly delay?: number | undefined;
  readonly agent?: string | undefined;
  readonly header?: Readonly<Record<string, string>> | undefined;
}

/** Adds the options for how requests are made. */
export function addRequestOptions(command: Command): Command {
  return command
    .option('--delay <seconds>', 'between two requests to a host; short for fetcher.serverDelay', seconds)
    .option('--agent <name>', 'name sent and looked up in robots.txt; short for http.agentName')
    .option("-H, --header <'name: value'>", 'header of every request, to every host; may be given many times', header);
}

/** The settings that the options set; they win over `--set`. */
export function requestSettings({ delay, agent, header }: RequestOptions): Readonly<Record<string, unknown>> {
  return {
    ...(delay !== undefined && { 'fetcher.serverDelay': delay, 'fetcher.serverMinDelay': delay }),
    ...(agent !== undefined && { 'http.agentName': agent }),
    ...(header && { 'http.headers': header }),
  };
}
