/** The types of the figures of hosts, of their explanations and of plans. */

export type * from '../../hosts/public.js';
