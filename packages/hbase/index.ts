export { createHBaseTables, type CreatedTables } from './create-tables.js';
export type { HBaseStore } from './hbase-store.js';
export { openHBaseStore } from './open-hbase-store.js';
