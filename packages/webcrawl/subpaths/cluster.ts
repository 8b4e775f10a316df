/** Parts for crawls on many machines: tables on HBase. */
export { createTable, type CreatedTable, type CreateTableOptions } from '../tables/create-table.js';
export type { CreatedTables } from '../../hbase/index.js';
export type { WorkerStatus } from '../../jobs/index.js';
