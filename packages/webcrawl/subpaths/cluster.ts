/** Parts for crawls on many machines: tables on HBase, and runners of workers for rounds. */
export { createTable, type CreatedTable, type CreateTableOptions } from '../tables/create-table.js';
export { kubernetesRunner, localRunner, slurmRunner } from '../doors/service.js';
export type { CreatedTables } from '../../hbase/index.js';
export type { WorkerStatus } from '../../jobs/index.js';
export type * from '../../rounds/public.js';
