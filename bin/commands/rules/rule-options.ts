import type { Command } from 'commander';
import type { NewRule, RuleScope } from '../../../packages/webcrawl/internal.js';
import { CrawlError } from '../../../packages/webcrawl/names.js';

export interface RuleOptions {
  readonly regex?: boolean;
  readonly host?: string;
  readonly domain?: string;
}

export function addRuleOptions(command: Command): Command {
  return command
    .argument('<kind>', 'kind of the rule: relevant, accept, reject or www')
    .argument(
      '<pattern>',
      'start of the URL, or of its path and query from / on; with --regex: a regular expression; for www: with or without',
    )
    .option('--regex', 'read the pattern as a regular expression, which may match anywhere in the URL')
    .option('--host <name>', 'only on this host')
    .option('--domain <name>', 'only on this domain and its sub-domains');
}

export function ruleOf(kind: string, pattern: string, { regex = false, host, domain }: RuleOptions): NewRule {
  if (host !== undefined && domain !== undefined)
    throw new CrawlError('USAGE', '--host and --domain cannot be combined');
  const scope = scopeOf(host, domain);
  if (kind === 'www') {
    if (regex) throw new CrawlError('USAGE', 'a rule of kind www has no --regex');
    return { kind, scope, to: pattern } as NewRule;
  }
  if (!regex && !/^(\/|https?:)/.test(pattern)) {
    throw new CrawlError('USAGE', `the pattern ${pattern} begins neither with / nor with http`, {
      hint: 'with --regex it is a regular expression, which may match anywhere in the URL',
    });
  }
  return { kind, scope, pattern: regex ? { regex: pattern } : { prefix: pattern } } as NewRule;
}

function scopeOf(host: string | undefined, domain: string | undefined): RuleScope {
  if (host !== undefined) return `host:${host}`;
  return domain === undefined ? '*' : `domain:${domain}`;
}
