import { optionSchemas } from '../../../config/index.js';
import { STATUSES } from '../../../webtable/index.js';
import { COMPUTED_FIELD_NAMES, DUMP_FIELDS, ADDITIONAL_FIELDS, INTERNAL_FIELDS } from '../names.js';

const {
  batch,
  callback,
  count,
  anything,
  flag,
  listOf,
  moment,
  notNegative,
  oneOf,
  shard,
  signal,
  someOf,
  string,
  text,
} = optionSchemas;

const PUBLIC_FIELDS = [...DUMP_FIELDS, ...ADDITIONAL_FIELDS];
const STORED_FIELDS = [...PUBLIC_FIELDS, ...INTERNAL_FIELDS];
export const publicFields = listOf(oneOf(PUBLIC_FIELDS), 'fields');
export const storedFields = listOf(oneOf(STORED_FIELDS), 'fields');
export const dumpFields = listOf(oneOf([...PUBLIC_FIELDS, ...COMPUTED_FIELD_NAMES]), 'fields');
export const anyFields = listOf(oneOf([...STORED_FIELDS, ...COMPUTED_FIELD_NAMES]), 'fields');

export const JOB = { signal, onProgress: callback };
const LEASE_WAIT = { leaseWaitMs: notNegative };
export const SHARD = { shard, ...LEASE_WAIT };
export const BATCH = { ...JOB, ...LEASE_WAIT, batch };
export const SELECTION = {
  host: string.optional(),
  domain: string.optional(),
  prefix: string.optional(),
  status: someOf(oneOf(STATUSES), 'statuses'),
  code: someOf(text, 'codes'),
  fetchedSince: moment,
  fetchedBefore: moment,
  dueBefore: moment,
  rejected: flag,
};
export const EXPORT = { ...JOB, output: text, force: flag, stdout: callback };
export const EXPORTED_PAGES = { ...SELECTION, since: anything, bytes: flag, limit: count };
