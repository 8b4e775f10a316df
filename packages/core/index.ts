/** The entry point of the core. Satellites, and programs that embed webcrawl, use only its exports. */
export * from '../errors/index.js';
export * from '../util/index.js';
export * from '../url/index.js';
export * from '../../config/index.js';
export * from '../../webtable/index.js';
export * from '../plugin-api/index.js';
export * from '../patterns/index.js';
export * from '../plugins/index.js';
export * from '../fetch/index.js';
export * from '../parse/index.js';
export * from '../jobs/index.js';
