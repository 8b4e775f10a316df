import { messageOf } from '../errors/index.js';
import { isPlainUrl, parseUrl } from '../url/index.js';
import type { Plugin, UrlScope } from './plugin.js';

/** What the normalisers and filters made of a URL. */
export type UrlVerdict =
  | { readonly accepted: true; readonly url: string }
  | {
      readonly accepted: false;
      /** The URL as far as it was normalised. */
      readonly url: string;
      /** The plugin that rejected it, or `url` when it is none that the table can hold. */
      readonly rejectedBy: string;
      /** The rule, or why; may hold untrusted text. */
      readonly rule: string;
    };

const PACKED = /^([^?]*)\.gz(?=\?|$)/i;

/** What is known of a URL beside itself. */
export interface UrlTraits {
  /** It was named as a sitemap. */
  readonly sitemap?: boolean | undefined;
}

/** Runs every normaliser, then every filter, in list order. A plugin that throws rejects the URL. */
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
 * Runs every normaliser, in list order. The URL is parsed by the WHATWG URL Standard before the first and after each
 * that changed it. A plugin that throws rejects the URL.
 * @param onStep called with what the parser (`url`) and each normaliser made of it
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
 * Runs every filter on a URL that is normalised already. A plugin that throws rejects the URL. The filters see a sitemap
 * without `.gz` at the end of its path.
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

/** One normaliser or one filter. */
export type UrlStepPlugin = Plugin & {
  /** The plugin that it is a member of. */
  readonly of: Plugin;
};

/**
 * The normalisers and filters of a list of plugins, each by itself, in the order in which {@link applyUrlChain} calls
 * them: the list may be cut at any place, and what the first part accepts be given to the second.
 */
export function urlSteps(plugins: readonly Plugin[]): readonly UrlStepPlugin[] {
  const steps: UrlStepPlugin[] = [];
  for (const of of plugins) {
    if (of.normalizeUrl) steps.push({ name: of.name, of, normalizeUrl: of.normalizeUrl.bind(of) });
  }
  for (const of of plugins) if (of.filterUrl) steps.push({ name: of.name, of, filterUrl: of.filterUrl.bind(of) });
  return steps;
}
