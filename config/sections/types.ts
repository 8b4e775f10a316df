import { z } from 'zod';

export const count = z.number().int();
/** A number of bytes or characters. -1: no limit. */
export const bytes = count.min(-1);
export const seconds = z.number().min(0);
/** Text for a request header. Other characters are not allowed in a header. */
export const headerText = z.string().regex(/^[\t\x20-\x7e]*$/, 'printable ASCII');
/** The path of a file. A relative path in a settings file is relative to the folder of this file, see `loadSettings`. */
export const path = z.string().meta({ path: true });

/** Adds a check to a schema. If `problem` returns a text for a value, the value is rejected with this text. */
export function refusedBy<T extends z.ZodType>(schema: T, problem: (value: z.output<T>) => string | undefined): T {
  return schema.superRefine((value, context) => {
    const message = problem(value);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });
}

export const weight = (value: number) => z.number().min(0).max(1000).default(value);

export const textByName = z.record(z.string(), z.string());

/** Makes a section, which may be missing in the settings as a whole. */
export function section<T extends z.ZodRawShape>(shape: T) {
  return z.strictObject(shape).prefault({} as z.input<z.ZodObject<T, z.core.$strict>>);
}
