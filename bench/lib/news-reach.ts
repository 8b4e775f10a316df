import type { Rule } from '../../packages/webcrawl/index.js';
import type { NewsWeb } from './news-web.js';

/** Whether an `accept` or `reject` rule lets a URL through, as docs/RULES.md says it, and written for nothing but that. */
export type Admits = (url: string) => boolean;

/** Only `reject` rules of hosts and domains, and `www` rules: others are not made by the crawler. */
export function admittedBy(rules: readonly Rule[]): Admits {
  const byScope = new Map<string, ((url: string) => boolean)[]>();
  for (const rule of rules) {
    if (rule.state !== 'active' || rule.kind !== 'reject') continue;
    const { pattern } = rule;
    const matches = 'prefix' in pattern ? beginsWith(pattern.prefix) : matching(pattern.regex);
    byScope.set(rule.scope, [...(byScope.get(rule.scope) ?? []), matches]);
  }
  return (url) => {
    const [host = ''] = url.slice(url.indexOf('//') + 2).split('/', 1);
    const labels = host.split('.');
    const scopes = ['*', `host:${host}`, ...labels.map((_, i) => `domain:${labels.slice(i).join('.')}`)];
    return !scopes.some((scope) => byScope.get(scope)?.some((matches) => matches(url)));
  };
}

const beginsWith = (prefix: string) => (url: string) =>
  prefix.startsWith('/') ? url.slice(url.indexOf('/', 8)).startsWith(prefix) : url.startsWith(prefix);
const matching = (regex: string): ((url: string) => boolean) => {
  const pattern = regex.startsWith('(?i)') ? new RegExp(regex.slice(4), 'i') : new RegExp(regex);
  return (url) => pattern.test(url);
};

/** The articles that a crawl without end would find from the seeds: within the domains, and through what is admitted alone. */
export function reachableArticles(web: NewsWeb, rules: readonly Rule[] = []): ReadonlySet<string> {
  const admits = admittedBy(rules);
  const rewritten = new Map(
    rules.flatMap((rule) => {
      if (rule.state !== 'active' || rule.kind !== 'www') return [];
      const domain = rule.scope.slice('domain:'.length);
      return [rule.to === 'with' ? ([domain, `www.${domain}`] as const) : ([`www.${domain}`, domain] as const)];
    }),
  );
  const normal = (url: string): string => {
    const [, host = '', path = ''] = /^http:\/\/([^/]+)(\/.*)$/.exec(url) ?? [];
    return `http://${rewritten.get(host) ?? host}${path}`;
  };
  const articles = new Set<string>();
  const seen = new Set(web.seeds.map(normal).filter(admits));
  // It grows while it is read. Calendars and pages of sessions lead to nothing that no other page leads to.
  for (const url of seen) {
    const answer = web.answerOf(url);
    if (answer?.article !== undefined) articles.add(answer.article);
    if (!answer || answer.hasSession || answer.kind === 'calendar') continue;
    for (const link of answer.links) {
      const to = normal(link);
      if (!seen.has(to) && admits(to)) seen.add(to);
    }
  }
  return articles;
}
