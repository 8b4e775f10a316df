import { createHash } from 'node:crypto';

/** The `version` of a plugin with these rules. */
export function versionOf(...rules: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(rules)).digest('hex').slice(0, 16);
}
