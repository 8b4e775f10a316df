import { SLOTS } from './schema.js';

/** Two hex digits for every slot, in order. */
export const ALL_SLOTS: readonly string[] = Array.from({ length: SLOTS }, (_, i) => i.toString(16).padStart(2, '0'));

/** The slot of a row: a hash of its host, so that all rows of one host share it. */
export function slotOf(rowKey: string): string {
  // An IPv6 host holds colons of its own.
  const end = rowKey.startsWith('[') ? rowKey.indexOf(']') + 1 : rowKey.indexOf(':');
  let hash = 0x811c9dc5; // FNV-1a
  for (let i = 0; i < end; i++) hash = Math.imul(hash ^ rowKey.charCodeAt(i), 0x01000193);
  return ALL_SLOTS[(hash >>> 0) % SLOTS]!;
}
