import type { Parser, Plugin } from '../plugin-api/index.js';

/**
 * Returns the plugin to parse a media type. The type must be in lower case, without parameters. A parser for exactly this type is chosen
 * first. For an XML type (MIME Sniffing Standard, 4.6), a parser for `+xml` comes next. Last comes a parser for the family of the type
 * (`text/*`). Among equal parsers, the last in the list is chosen.
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
  return naming(contentType) ?? (contentType.endsWith('+xml') ? naming('+xml') : undefined) ?? naming(family);
}
