import type { PageField } from '../../packages/webcrawl/index.js';
import { COMPUTED_FIELD_NAMES, DUMP_FIELDS, FURTHER_FIELDS } from '../../packages/webcrawl/names.js';
import { listOf } from './arguments.js';

/** What is shown of a page whether it is asked for or not, beside its status. */
const ALWAYS = ['key', 'url'] as const;

/** Reads `--fields`: names by commas. */
export function fieldsOf(text: string): readonly PageField[] {
  const known = [...ALWAYS, ...DUMP_FIELDS, ...FURTHER_FIELDS, ...COMPUTED_FIELD_NAMES];
  const isAlways = (name: string): name is (typeof ALWAYS)[number] => (ALWAYS as readonly string[]).includes(name);
  return listOf(known)(text).filter((name): name is PageField => !isAlways(name));
}
