import type { WwwRule } from '../../webtable/index.js';
import { compareRules } from './rule-order.js';

/** What a `www` rule makes of a URL. */
export interface Rewritten {
  readonly url: string;
  readonly rule: WwwRule;
}

/** Writes URLs as the `www` rule of their domain says; undefined where there is none, or the URL is so already. */
export type Rewriter = (url: string) => Rewritten | undefined;

/** A normalised URL whose host is a name: scheme, host, the rest. */
const PARTS = /^(https?:\/\/)([^/:[\]]+)(.*)$/s;
const WWW = 'www.';

/** Only the host that is the domain itself, and the one that is it with `www.` before, are written in the one way. */
export function createRewriter(rules: readonly WwwRule[]): Rewriter {
  const byHost = new Map<string, { readonly host: string; readonly rule: WwwRule }>();
  for (const rule of [...rules].sort(compareRules)) {
    const domain = rule.scope.slice('domain:'.length);
    const [from, to] = rule.to === 'with' ? [domain, `${WWW}${domain}`] : [`${WWW}${domain}`, domain];
    // Of two that contradict each other the first decides, so that no URL is written to and fro.
    if (!byHost.has(from) && !byHost.has(to)) byHost.set(from, { host: to, rule });
  }
  return (url) => {
    const [, scheme, host, rest] = PARTS.exec(url) ?? [];
    const found = host === undefined ? undefined : byHost.get(host);
    return found && { url: `${scheme}${found.host}${rest}`, rule: found.rule };
  };
}
