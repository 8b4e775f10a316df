import type { Rewritten } from '../plugin-api/index.js';
import type { WwwRule } from '../../webtable/index.js';

/** Rewrites a URL by the `www` rule of its domain. Undefined: there is no such rule, or the URL already has the right form. */
type Rewriter = (url: string) => Rewritten | undefined;

/** A normalised URL with a host name: scheme, host, and everything after the host. */
const PARTS = /^(https?:\/\/)([^/:[\]]+)(.*)$/s;
const WWW = 'www.';

/**
 * Makes a rewriter. For each domain, it rewrites at most two hosts: the domain itself, and the domain with `www.` before it.
 * @param rules in order of evaluation
 */
export function createRewriter(rules: readonly WwwRule[]): Rewriter {
  const byHost = new Map<string, { readonly host: string; readonly rule: WwwRule }>();
  for (const rule of rules) {
    const domain = rule.scope.slice('domain:'.length);
    const [from, to] = rule.to === 'with' ? [domain, `${WWW}${domain}`] : [`${WWW}${domain}`, domain];
    // If two rules contradict each other, the first rule decides. So no URL is rewritten back and forth.
    if (!byHost.has(from) && !byHost.has(to)) byHost.set(from, { host: to, rule });
  }
  return (url) => {
    const [, scheme, host, rest] = PARTS.exec(url) ?? [];
    const found = host === undefined ? undefined : byHost.get(host);
    return found && { url: `${scheme}${found.host}${rest}`, rule: found.rule };
  };
}
