export { absolutePath } from './absolute-path.js';
export { describeSettings, settingsMarkdown, type SettingDescription } from './describe.js';
export { readShippedFile, type ShippedFile } from './files.js';
export { loadSettings, type LoadedSettings, type SettingPlaces, type SettingSource } from './load.js';
export { settingsSchema, type Settings } from './schema.js';
