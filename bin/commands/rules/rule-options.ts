import type { Command } from 'commander';
import type { NewRule, RuleScope } from '../../../packages/webcrawl/index.js';
import { CrawlError } from '../../../packages/webcrawl/names.js';

/** The options that say of which URLs a rule is. */
export interface RuleOptions {
  readonly regex?: boolean;
  readonly host?: string;
  readonly domain?: string;
}

/** Adds kind, pattern, and the options that go with them. */
export function addRuleOptions(command: Command): Command {
  return command
    .argument('<kind>', 'useful, accept, reject or www')
    .argument(
      '<pattern>',
      'with what the URLs begin: path and query from / on, or the whole URL; with --regex a regular expression; of www: with or without',
    )
    .option('--regex', 'the pattern is a regular expression, which is looked for anywhere in the URL')
    .option('--host <name>', 'only on this host')
    .option('--domain <name>', 'only on this domain and its sub-domains');
}

/** The rule that the arguments say; it is checked when it is added. */
export function ruleOf(kind: string, pattern: string, { regex = false, host, domain }: RuleOptions): NewRule {
  if (host !== undefined && domain !== undefined) throw new CrawlError('USAGE', 'expected one of --host and --domain');
  const scope = scopeOf(host, domain);
  if (kind === 'www') {
    if (regex) throw new CrawlError('USAGE', '--regex does not go with a rule of kind www');
    return { kind, scope, to: pattern } as NewRule;
  }
  if (!regex && !/^(\/|https?:)/.test(pattern)) {
    throw new CrawlError('USAGE', `expected a pattern that begins with / or with http, found "${pattern}"`, {
      hint: 'with --regex it is a regular expression, which is looked for anywhere in the URL',
    });
  }
  return { kind, scope, pattern: regex ? { regex: pattern } : { prefix: pattern } } as NewRule;
}

function scopeOf(host: string | undefined, domain: string | undefined): RuleScope {
  if (host !== undefined) return `host:${host}`;
  return domain === undefined ? '*' : `domain:${domain}`;
}
