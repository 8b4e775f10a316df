import { messageOf } from '../errors/index.js';
import { parseUrl } from '../url/index.js';
import type { Plugin, UrlScope } from './plugin.js';
import { filterUrl, type UrlVerdict } from './url-chain.js';

/** What one normaliser or filter made of a URL. Texts may be untrusted. */
export type UrlStep =
  | {
      readonly kind: 'normalizer';
      /** The plugin; `url` for the URL parser, which comes first. */
      readonly name: string;
      readonly before: string;
      readonly after: string;
    }
  | {
      readonly kind: 'filter';
      readonly name: string;
      readonly accepted: boolean;
      /** What rejected it; absent where the filter accepts. */
      readonly rule?: string;
    };

/** A verdict on a URL, and how it came about. */
export interface UrlTrace {
  /** The verdict of {@link applyUrlChain}. */
  readonly verdict: UrlVerdict;
  /** The URL after all normalisers; absent where one of them, or the parser, refused it. */
  readonly normalized?: string;
  /** In order of call, up to a normaliser that refused. Every filter is asked, also after one that rejects. */
  readonly steps: readonly UrlStep[];
}

/** Does what `applyUrlChain` does and tells each step. A plugin that throws rejects the URL. */
export function traceUrl(plugins: readonly Plugin[], url: string, scope: UrlScope): UrlTrace {
  const steps: UrlStep[] = [];
  let current = url;
  let name = 'url';
  const changeTo = (after: string): void => {
    steps.push({ kind: 'normalizer', name, before: current, after });
    current = after;
  };
  try {
    changeTo(parseUrl(current).href);
    for (const plugin of plugins) {
      if (!plugin.normalizeUrl) continue;
      name = plugin.name;
      const next = plugin.normalizeUrl(current, scope);
      changeTo(next === current ? next : parseUrl(next).href);
    }
  } catch (error) {
    return { verdict: { accepted: false, url: current, rejectedBy: name, rule: messageOf(error) }, steps };
  }

  let verdict: UrlVerdict = { accepted: true, url: current };
  for (const plugin of plugins) {
    if (!plugin.filterUrl) continue;
    const found = filterUrl([plugin], current, scope);
    steps.push({
      kind: 'filter',
      name: plugin.name,
      accepted: found.accepted,
      ...(!found.accepted && { rule: found.rule }),
    });
    if (verdict.accepted) verdict = found;
  }
  return { verdict, normalized: current, steps };
}
