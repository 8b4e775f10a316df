import type { Parser, Plugin } from '../plugin-api/index.js';

/**
 * The parser for a media type (lower case, without parameters): one that names the type, else one that names its
 * family (`text/*`). Of several, the last in the list.
 */
export function chooseParser(plugins: readonly Pick<Plugin, 'parser'>[], contentType: string): Parser | undefined {
  const family = `${contentType.slice(0, contentType.indexOf('/') + 1)}*`;
  const naming = (type: string) => plugins.findLast(({ parser }) => parser?.contentTypes.includes(type))?.parser;
  return naming(contentType) ?? naming(family);
}
