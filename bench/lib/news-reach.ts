import type { Rule } from '../../packages/webcrawl/internal.js';
import type { NewsWeb } from './news-web.js';

/** Whether active rules match a URL, by docs/RULES.md. Written only for comparison. */
function matcherOf(rules: readonly Rule[], kind: 'reject' | 'relevant'): (url: string) => boolean {
  const byScope = new Map<string, ((url: string) => boolean)[]>();
  for (const rule of rules) {
    if (rule.state !== 'active' || rule.kind !== kind) continue;
    const { pattern } = rule;
    const matches = 'prefix' in pattern ? beginsWith(pattern.prefix) : matching(pattern.regex);
    byScope.set(rule.scope, [...(byScope.get(rule.scope) ?? []), matches]);
  }
  return (url) => {
    const [host = ''] = url.slice(url.indexOf('//') + 2).split('/', 1);
    const labels = host.split('.');
    const scopes = ['*', `host:${host}`, ...labels.map((_, i) => `domain:${labels.slice(i).join('.')}`)];
    return scopes.some((scope) => byScope.get(scope)?.some((matches) => matches(url)));
  };
}

const beginsWith = (prefix: string) => (url: string) =>
  prefix.startsWith('/') ? url.slice(url.indexOf('/', 8)).startsWith(prefix) : url.startsWith(prefix);
const matching = (regex: string): ((url: string) => boolean) => {
  const pattern = regex.startsWith('(?i)') ? new RegExp(regex.slice(4), 'i') : new RegExp(regex);
  return (url) => pattern.test(url);
};

/** The articles that an endless crawl would find from the seeds: within the domains, and only through accepted URLs. */
export function reachableArticles(web: NewsWeb, rules: readonly Rule[] = []): ReadonlySet<string> {
  const [refuses, isUseful] = [matcherOf(rules, 'reject'), matcherOf(rules, 'relevant')];
  const admits = (url: string): boolean => !refuses(url) || isUseful(url);
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
  // The list grows while it is read. Calendars and pages with sessions lead to nothing that other pages do not lead to.
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
