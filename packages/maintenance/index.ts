export { repair } from './repair.js';
export { compact } from './compact.js';
export { migrate, type MigrationReport } from './migrate.js';
export { remove, type RemoveOptions } from './remove.js';
