import type { Plugin, UrlScope } from './plugin.js';
import { filterUrl, normalizeUrl, type UrlTraits, type UrlVerdict } from './url-chain.js';

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

/** Does what `applyUrlChain` does and reports each step. A plugin that throws rejects the URL. */
export function traceUrl(plugins: readonly Plugin[], url: string, scope: UrlScope, traits: UrlTraits = {}): UrlTrace {
  const steps: UrlStep[] = [];
  const normalized = normalizeUrl(plugins, url, scope, (name, before, after) => {
    steps.push({ kind: 'normalizer', name, before, after });
  });
  if (!normalized.accepted) return { verdict: normalized, steps };

  let verdict: UrlVerdict = normalized;
  for (const plugin of plugins) {
    if (!plugin.filterUrl) continue;
    const found = filterUrl([plugin], normalized.url, scope, traits);
    steps.push({
      kind: 'filter',
      name: plugin.name,
      accepted: found.accepted,
      ...(!found.accepted && { rule: found.rule }),
    });
    if (verdict.accepted) verdict = found;
  }
  return { verdict, normalized: normalized.url, steps };
}
