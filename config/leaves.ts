import { z } from 'zod';
import { once } from '../packages/util/index.js';
import { settingsSchema } from './schema.js';

export interface LeafType {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: string | number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMaximum?: number;
  readonly items?: LeafType;
  readonly anyOf?: readonly LeafType[];
  readonly default?: unknown;
  readonly description?: string;
  readonly path?: boolean;
  readonly secret?: boolean;
}

export interface Leaf {
  readonly schema: z.ZodType;
  readonly type: LeafType;
}

/**
 * Returns every setting by its dotted key, in the order of the schema. The type of a setting is computed when it is first read, because all
 * types together take milliseconds.
 */
export const settingLeaves = once((): ReadonlyMap<string, Leaf> => {
  const leaves = new Map<string, Leaf>();
  const add = (key: string, schema: z.ZodType): void => {
    const type = once(() => z.toJSONSchema(schema, { io: 'input' }) as LeafType);
    leaves.set(key, {
      schema,
      get type() {
        return type();
      },
    });
  };
  const walk = (shape: Readonly<Record<string, z.ZodType>>, prefix: string): void => {
    for (const [name, schema] of Object.entries(shape)) {
      const inner = schema instanceof z.ZodPrefault ? schema.unwrap() : schema;
      if (inner instanceof z.ZodObject) walk(inner.shape, `${prefix}${name}.`);
      else add(prefix + name, schema);
    }
  };
  walk(settingsSchema.shape, '');
  return leaves;
});

/** Returns the type in words: `whole number of at least 1`, `one of host, domain, ip`, `list of strings`. */
export function typeInWords(type: LeafType): string {
  if (type.anyOf) return type.anyOf.map(typeInWords).join(' or ');
  if (type.const !== undefined) return String(type.const);
  if (type.enum) return `one of ${type.enum.join(', ')}`;
  if (type.type === 'array') return `list of ${type.items?.enum?.join(', ') ?? (type.path ? 'modules' : 'strings')}`;
  if (type.type === 'object') return 'JSON object of strings';
  if (type.type === 'boolean') return 'true or false';
  if (type.type !== 'number' && type.type !== 'integer') return type.path ? 'path of a file' : 'string';
  const number = type.type === 'integer' ? 'whole number' : 'number';
  const min = type.minimum !== undefined && type.minimum > Number.MIN_SAFE_INTEGER ? type.minimum : undefined;
  const max = type.maximum !== undefined && type.maximum < Number.MAX_SAFE_INTEGER ? type.maximum : undefined;
  if (min !== undefined && type.exclusiveMaximum !== undefined) {
    return `${number} from ${min} to below ${type.exclusiveMaximum}`;
  }
  if (min !== undefined && max !== undefined) return `${number} from ${min} to ${max}`;
  if (min !== undefined) return `${number} of at least ${min}`;
  return max === undefined ? number : `${number} of at most ${max}`;
}
