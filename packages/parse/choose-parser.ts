import type { Parser, Plugin } from '../plugin-api/index.js';

/**
 * The plugin with the parser for a media type (lower case, without parameters): one that names the type, else one that
 * names its family (`text/*`). Of several, the last in the list.
 */
export function chooseParser<P extends Pick<Plugin, 'parser'>>(
  plugins: readonly P[],
  contentType: string,
): (P & { readonly parser: Parser }) | undefined {
  const family = `${contentType.slice(0, contentType.indexOf('/') + 1)}*`;
  const naming = (type: string) =>
    plugins.findLast((plugin): plugin is P & { readonly parser: Parser } =>
      Boolean(plugin.parser?.contentTypes.includes(type)),
    );
  return naming(contentType) ?? naming(family);
}
