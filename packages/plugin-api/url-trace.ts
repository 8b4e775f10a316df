import type { Plugin, UrlScope } from './plugin.js';
import { filterUrl, normalizeUrl, type UrlTraits, type UrlVerdict } from './url-chain.js';

/** The result of one normaliser or filter for a URL. Its texts may be untrusted. */
export type UrlStep =
  | {
      readonly kind: 'normalizer';
      /** The name of the plugin. `url` for the URL parser, which is the first step. */
      readonly name: string;
      readonly before: string;
      readonly after: string;
    }
  | {
      readonly kind: 'filter';
      readonly name: string;
      readonly accepted: boolean;
      /** The rule that rejected the URL. Absent if the filter accepts the URL. */
      readonly rule?: string;
    };

interface UrlTrace {
  readonly verdict: UrlVerdict;
  /** The URL after all normalisers. Absent if the parser or a normaliser rejected the URL. */
  readonly normalized?: string;
  /**
   * The steps in the order of the calls. After a normaliser that rejects, there are no more steps. After a filter that rejects, the
   * other filters still run.
   */
  readonly steps: readonly UrlStep[];
}

/** Does the same as `applyUrlChain`, and also returns the result of each step. If a plugin throws, the URL is rejected. */
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
