import type { Settings } from './schema.js';

/** The whole name of a setting, such as `http.agentName`. Lists, and objects with keys of any name, are values. */
export type SettingKey<T = Settings> = {
  [K in keyof T & string]: T[K] extends readonly unknown[]
    ? K
    : T[K] extends object
      ? string extends keyof T[K]
        ? K
        : `${K}.${SettingKey<T[K]>}`
      : K;
}[keyof T & string];

/** The type of a setting, by its whole name. */
export type SettingValue<Key extends string, T = Settings> = Key extends keyof T
  ? T[Key]
  : Key extends `${infer Section}.${infer Rest}`
    ? Section extends keyof T
      ? SettingValue<Rest, T[Section]>
      : never
    : never;

/**
 * Settings as a program writes them: by section (`{ http: { agentName: 'x' } }`), by the whole name (`{ 'http.agentName': 'x' }`), or both. A
 * name that is no setting does not compile.
 */
export type PartialSettings<T = Settings> = {
  readonly [K in keyof T]?: K extends SettingKey<T> ? Readonly<T[K]> : PartialSettings<T[K]>;
} & {
  readonly [Key in SettingKey<T>]?: Readonly<SettingValue<Key, T>>;
};
