export { absolutePath } from './absolute-path.js';
export { describeSettings, settingsMarkdown, type SettingDescription } from './describe.js';
export { didYouMean } from './did-you-mean.js';
export { readShippedFile, type ShippedFile } from './files.js';
export { loadSettings, type LoadedSettings, type SettingInputs, type SettingSource } from './load.js';
export { settingsSchema, type Settings } from './schema.js';
export type { PartialSettings, SettingKey, SettingValue } from './partial-settings.js';
export { mustBe, optionsCheck } from './options/check-options.js';
export * as optionSchemas from './options/schemas.js';
