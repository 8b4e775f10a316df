/**
 * Every error code, with the exit status of the command and what it means. Statuses follow sysexits.h where it has the
 * case; 75 is kept free for "try again later". A test holds this list, the source and the table in the README together.
 */
export const ERROR_CODES = {
  USAGE: { exitCode: 64, meaning: 'a command or an option is wrong' },
  BAD_URL: { exitCode: 65, meaning: 'a URL is not one the table can hold' },
  BAD_RULE: { exitCode: 65, meaning: 'a rule is wrong; nothing was changed' },
  RULE_DANGER: {
    exitCode: 65,
    meaning: 'a rule would cut a seed or every page, and `--yes` was not given; nothing was changed',
  },
  STALE_PROPOSAL: {
    exitCode: 65,
    meaning: 'what a proposal rests on does not hold any more; `webcrawl rules propose` makes new ones',
  },
  BAD_INPUT: { exitCode: 66, meaning: 'an input file or URL cannot be read' },
  NO_TABLE: { exitCode: 66, meaning: 'there is no table at the place that was named' },
  NO_INDEX: { exitCode: 66, meaning: 'there is no search index that can be used; `webcrawl index --all` makes one' },
  WRONG_INDEX: { exitCode: 66, meaning: 'the search index holds the pages of another table' },
  UNKNOWN_BATCH: { exitCode: 67, meaning: 'no batch of this id is known' },
  UNKNOWN_PROPOSAL: { exitCode: 67, meaning: 'the last proposals have none of this number' },
  UNKNOWN_RULE: { exitCode: 67, meaning: 'no rule of this id is known' },
  BATCH_CLOSING: {
    exitCode: 68,
    meaning: 'updatedb has begun on this batch, so it cannot be fetched or parsed again',
  },
  TABLE_LOCKED: { exitCode: 69, meaning: 'the table is open already, in another process or in this one' },
  PROXY_FAILED: { exitCode: 69, meaning: 'no request gets through the proxy of `http.proxy`; the pages stay due' },
  CANNOT_LISTEN: { exitCode: 69, meaning: 'the port is in use, or the address cannot be listened on' },
  MISSING_PACKAGE: { exitCode: 69, meaning: 'an optional package is not installed; the hint installs it' },
  INTERNAL: { exitCode: 70, meaning: 'something that must not happen, a fault in webcrawl; `-v` shows where' },
  CLOSED: { exitCode: 70, meaning: 'the crawl or its table was used after it was closed' },
  TABLE_DAMAGED: { exitCode: 71, meaning: 'a row or the database cannot be read' },
  BAD_OUTPUT: { exitCode: 73, meaning: 'an output file is there already, or cannot be written' },
  STORE_FULL: { exitCode: 73, meaning: 'the disk is full' },
  STORE_FAILED: { exitCode: 74, meaning: 'the store refused to read or write' },
  STORE_AWAY: {
    exitCode: 75,
    meaning: 'HBase cannot be reached, or has no server for a row now; the same may work later',
  },
  SEARCH_BUSY: { exitCode: 75, meaning: 'too many searches wait, or one took too long; the same may work later' },
  LEASE_HELD: { exitCode: 75, meaning: 'another worker has this part of the table; the same may work later' },
  LEASE_LOST: {
    exitCode: 75,
    meaning: 'this worker was silent for too long and another one may have its part; run it again',
  },
  SHARDS_BEHIND: {
    exitCode: 75,
    meaning: 'other shards of a `rank` have not come as far; the same goes on when they have',
  },
  WORKER_FAILED: {
    exitCode: 75,
    meaning: 'workers of `rounds` were started again and again in vain; the same goes on from there',
  },
  TABLE_VERSION: { exitCode: 76, meaning: 'the table was written by another version' },
  STORE_DENIED: { exitCode: 77, meaning: 'HBase does not let this user read or write the table' },
  BAD_PLUGIN: { exitCode: 77, meaning: 'a plugin cannot be loaded or is not a plugin' },
  CLOCK_OFF: { exitCode: 78, meaning: 'the clock of this machine and that of HBase are too far apart' },
  BAD_SETTING: { exitCode: 78, meaning: 'a setting is unknown or has a wrong value; all wrong ones are listed' },
} as const satisfies Record<string, { exitCode: number; meaning: string }>;

/** A stable name of an error. */
export type ErrorCode = keyof typeof ERROR_CODES;
