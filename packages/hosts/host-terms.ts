/** The values by which hosts can be sorted, the highest value first. `host`: in the order of the row keys. */
export const HOST_SORTS = ['host', 'pages', 'due', 'errors', 'bytes', 'mean', 'slowest', 'delay', 'requested'] as const;

/** Maximum number of hosts in a sorted list, because the list is sorted in memory. */
export const MAX_HOSTS = 10_000;
