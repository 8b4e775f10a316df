import { CrawlError, safeText } from '../../errors/index.js';
import type { Plugin } from '../../plugin-api/index.js';

type Shape = 'function' | 'array' | Readonly<Record<string, 'function' | 'array'>>;

/** The type of each member of a plugin. For a member that is an object: the types of its required members. */
const MEMBERS: Readonly<Record<string, Shape>> = {
  normalizeUrl: 'function',
  filterUrl: 'function',
  signature: 'function',
  scoring: {},
  schedule: { initialize: 'function', afterFetch: 'function', afterRetry: 'function', afterGone: 'function' },
  protocol: { schemes: 'array', fetch: 'function' },
  parser: { contentTypes: 'array', parse: 'function' },
  onPage: 'function',
  indexFilter: 'function',
  indexWriter: { open: 'function' },
};

/** The schemes of URLs that a table can hold. */
const SCHEMES: readonly string[] = ['http', 'https'];

/**
 * Checks that a value is a plugin. Call it before pages are fetched with the plugin.
 * @param expected what was expected, for the message
 * @throws CrawlError BAD_PLUGIN
 */
export function checkPlugin(plugin: unknown, expected: string): Plugin {
  const wrong = faultOf(plugin);
  if (wrong === undefined) {
    checkSchemes(plugin as Plugin);
    return plugin as Plugin;
  }
  throw new CrawlError('BAD_PLUGIN', `expected ${expected}, found ${wrong}`, {
    hint: 'a plugin is a plain object with a name and at least one member of the type Plugin',
  });
}

/** Checks the schemes of a protocol. No table holds URLs of other schemes, so the protocol would never be called. */
function checkSchemes({ name, protocol }: Plugin): void {
  const scheme = protocol?.schemes.find((known) => !SCHEMES.includes(known));
  if (scheme === undefined) return;
  const found = safeText(String(scheme), 40);
  throw new CrawlError(
    'BAD_PLUGIN',
    `expected a protocol of http or https, found "${safeText(name, 60)}" for "${found}"`,
    {
      hint: 'a table holds http and https URLs only; schemes are in lower case, without a colon',
    },
  );
}

function faultOf(plugin: unknown): string | undefined {
  if (typeof plugin !== 'object' || plugin === null) return plugin === undefined ? 'none' : typeof plugin;
  const found = plugin as Record<string, unknown>;
  if (typeof found.name !== 'string' || found.name === '') return 'one without a name';
  const name = `"${safeText(found.name, 60)}"`;
  const members = Object.keys(MEMBERS).filter((member) => found[member] !== undefined);
  if (members.length === 0) return `${name} that has none of ${Object.keys(MEMBERS).join(', ')}`;
  for (const member of members) {
    const fault = misfit(found[member], MEMBERS[member]!, member);
    if (fault !== undefined) return `${name} whose ${fault}`;
  }
  return undefined;
}

function misfit(value: unknown, shape: Shape, path: string): string | undefined {
  if (shape === 'function') return typeof value === 'function' ? undefined : `${path} is no function`;
  if (shape === 'array') return Array.isArray(value) ? undefined : `${path} is no list`;
  if (typeof value !== 'object' || value === null) return `${path} is no object`;
  for (const [member, inner] of Object.entries(shape)) {
    const fault = misfit((value as Record<string, unknown>)[member], inner, `${path}.${member}`);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
