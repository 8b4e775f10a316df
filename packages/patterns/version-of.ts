import { createHash } from 'node:crypto';

/** Returns a text that changes with the rules of a plugin, for the `version` of the plugin. */
export function versionOf(...rules: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(rules)).digest('hex').slice(0, 16);
}
