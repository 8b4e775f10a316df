import { DISK, type TargetFiles } from '../../../packages/export/target/files.js';

/** A disk that counts its steps, and fails from one of them on. */
export interface FailingDisk {
  readonly files: TargetFiles;
  /** Steps so far. */
  readonly steps: () => number;
}

/**
 * @param from the first step that fails, from 1 on; Infinity: none
 * @param options.code of the error
 * @param options.only names of the steps that can fail; those of open files are `file.<name>`. Absent: all
 */
export function failingDisk(
  from: number,
  { code = 'EIO', only }: { readonly code?: string; readonly only?: RegExp } = {},
): FailingDisk {
  let steps = 0;
  const wrap = <T extends object>(target: T, prefix: string): T =>
    new Proxy(target, {
      get(object, name) {
        const value: unknown = Reflect.get(object, name, object);
        if (typeof value !== 'function') return value;
        const call = value as (this: unknown, ...args: unknown[]) => unknown;
        if (typeof name === 'symbol') return call.bind(object);
        // The system closes the files of a killed process.
        if (/^(close|createReadStream|readLines|readFile|stat|lstat)$/.test(name)) return call.bind(object);
        return async (...args: unknown[]): Promise<unknown> => {
          if (!only || only.test(prefix + name)) {
            steps += 1;
            if (steps >= from) throw Object.assign(new Error(`${code}: step ${steps}, ${name}`), { code });
          }
          const result = await call.apply(object, args);
          return name === 'open' ? wrap(result as object, 'file.') : result;
        };
      },
    });
  return { files: wrap({ ...DISK }, ''), steps: () => steps };
}
