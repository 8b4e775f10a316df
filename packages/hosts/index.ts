export type * from './public.js';
export { readHosts } from './hosts.js';
export { explainHost } from './explain-host.js';
export { plan } from './plan/plan.js';
