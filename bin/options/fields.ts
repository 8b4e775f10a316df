import type { PageField } from '../../packages/webcrawl/internal.js';
import { COMPUTED_FIELD_NAMES, DUMP_FIELDS, ADDITIONAL_FIELDS, RENAMED_FIELDS } from '../../packages/webcrawl/names.js';
import { listOf } from './arguments.js';

const ALWAYS = ['key', 'url'] as const;

export function fieldsOf(text: string): readonly PageField[] {
  const known = [...ALWAYS, ...DUMP_FIELDS, ...ADDITIONAL_FIELDS, ...COMPUTED_FIELD_NAMES];
  const isAlways = (name: string): name is (typeof ALWAYS)[number] => (ALWAYS as readonly string[]).includes(name);
  return listOf(known, RENAMED_FIELDS)(text).filter((name): name is PageField => !isAlways(name));
}
