import { messageOf } from '../errors/index.js';
import { isPlainUrl, parseUrl } from '../url/index.js';
import type { Plugin, UrlScope } from './plugin.js';

export type UrlVerdict =
  | { readonly accepted: true; readonly url: string }
  | {
      readonly accepted: false;
      /** The URL after the normalisers that ran before the rejection. */
      readonly url: string;
      /** The name of the plugin that rejected the URL. `url` if the table cannot hold the URL. */
      readonly rejectedBy: string;
      /** The rule that rejected the URL, or the reason. It may contain untrusted text. */
      readonly rule: string;
    };

const PACKED = /^([^?]*)\.gz(?=\?|$)/i;

export interface UrlTraits {
  readonly sitemap?: boolean | undefined;
}

/** Runs every normaliser, then every filter, in the order of the list. If a plugin throws, the URL is rejected. */
export function applyUrlChain(
  plugins: readonly Plugin[],
  url: string,
  scope: UrlScope,
  traits: UrlTraits = {},
): UrlVerdict {
  const normalized = normalizeUrl(plugins, url, scope);
  return normalized.accepted ? filterUrl(plugins, normalized.url, scope, traits) : normalized;
}

/**
 * Runs every normaliser, in the order of the list. The URL is parsed according to the WHATWG URL Standard before the first normaliser, and
 * again after each change. If a plugin throws, the URL is rejected.
 * @param onStep called with the result of the parser (name `url`) and the result of each normaliser
 */
export function normalizeUrl(
  plugins: readonly Plugin[],
  url: string,
  scope: UrlScope,
  onStep?: (name: string, before: string, after: string) => void,
): UrlVerdict {
  let current = url;
  let by = 'url';
  const changeTo = (after: string): void => {
    onStep?.(by, current, after);
    current = after;
  };
  try {
    changeTo(isPlainUrl(current) ? current : parseUrl(current).href);
    for (const plugin of plugins) {
      if (!plugin.normalizeUrl) continue;
      by = plugin.name;
      const next = plugin.normalizeUrl(current, scope);
      changeTo(next === current || isPlainUrl(next) ? next : parseUrl(next).href);
    }
  } catch (error) {
    return { accepted: false, url: current, rejectedBy: by, rule: messageOf(error) };
  }
  return { accepted: true, url: current };
}

/**
 * Runs every filter on a normalised URL. If a plugin throws, the URL is rejected. If the URL is a sitemap, `.gz` is removed from the end of
 * its path before the filters run.
 */
export function filterUrl(
  plugins: readonly Plugin[],
  url: string,
  scope: UrlScope,
  { sitemap = false }: UrlTraits = {},
): UrlVerdict {
  const seen = sitemap ? url.replace(PACKED, '$1') : url;
  for (const plugin of plugins) {
    if (!plugin.filterUrl) continue;
    let verdict: boolean | string;
    try {
      verdict = plugin.filterUrl(seen, scope);
    } catch (error) {
      verdict = messageOf(error);
    }
    if (verdict === true) continue;
    const rule = typeof verdict === 'string' && verdict !== '' ? verdict : 'rejected';
    return { accepted: false, url, rejectedBy: plugin.name, rule };
  }
  return { accepted: true, url };
}

/** A normaliser or a filter, as a plugin of its own. */
type UrlStepPlugin = Plugin & {
  readonly of: Plugin;
};

/**
 * Returns the normalisers and filters of a list of plugins one by one, in the order in which {@link applyUrlChain} calls them. The list may
 * be split anywhere: a URL that the first part accepts is then passed to the second part.
 */
export function urlSteps(plugins: readonly Plugin[]): readonly UrlStepPlugin[] {
  const steps: UrlStepPlugin[] = [];
  for (const of of plugins) {
    if (of.normalizeUrl) steps.push({ name: of.name, of, normalizeUrl: of.normalizeUrl.bind(of) });
  }
  for (const of of plugins) if (of.filterUrl) steps.push({ name: of.name, of, filterUrl: of.filterUrl.bind(of) });
  return steps;
}
