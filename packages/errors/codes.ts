/**
 * Every error code, with the exit status of the command and the meaning. Statuses follow sysexits.h where it defines one for the case; 75
 * means "try again later". A test compares this list with the source and with the table in docs/COMMANDS.md.
 */
export const ERROR_CODES = {
  USAGE: { exitCode: 64, meaning: 'a command or an option is wrong' },
  BAD_URL: { exitCode: 65, meaning: 'the table cannot hold a URL' },
  BAD_RULE: { exitCode: 65, meaning: 'a rule is wrong; nothing was changed' },
  RULE_DANGER: {
    exitCode: 65,
    meaning: 'a rule would reject a seed or every page, and `--yes` was not given; nothing was changed',
  },
  STALE_PROPOSAL: {
    exitCode: 65,
    meaning: 'the table has changed since the proposal was made; `webcrawl rules propose` makes new proposals',
  },
  BAD_INPUT: { exitCode: 66, meaning: 'an input file or URL cannot be read' },
  NO_TABLE: { exitCode: 66, meaning: 'there is no table at the given path or address' },
  NO_INDEX: { exitCode: 66, meaning: 'there is no usable search index; `webcrawl index --all` makes one' },
  NO_FACTS: {
    exitCode: 66,
    meaning: 'pages have neither the facts that an audit needs nor bodies; the hint says how to crawl with them',
  },
  WRONG_INDEX: { exitCode: 66, meaning: 'the search index holds the pages of another table' },
  UNKNOWN_BATCH: { exitCode: 67, meaning: 'there is no batch with this id' },
  UNKNOWN_PROPOSAL: { exitCode: 67, meaning: 'there is no proposal with this number in the last proposals' },
  UNKNOWN_RULE: { exitCode: 67, meaning: 'there is no rule with this id' },
  BATCH_CLOSING: {
    exitCode: 68,
    meaning: 'updatedb has begun on this batch, so it cannot be fetched or parsed again',
  },
  TABLE_LOCKED: { exitCode: 69, meaning: 'the table is already open, in another process or in this one' },
  PROXY_FAILED: { exitCode: 69, meaning: 'requests do not get through the proxy in `http.proxy`; the pages stay due' },
  CANNOT_LISTEN: { exitCode: 69, meaning: 'the port is in use, or the server cannot listen on the address' },
  MISSING_PACKAGE: {
    exitCode: 69,
    meaning: 'an optional package is not installed; the hint has the command that installs it',
  },
  INTERNAL: { exitCode: 70, meaning: 'an error in webcrawl itself; `-v` shows where' },
  CLOSED: { exitCode: 70, meaning: 'the crawl or its table was used after it was closed' },
  TABLE_DAMAGED: { exitCode: 71, meaning: 'a row or the database cannot be read' },
  TOO_FEW_FILES: {
    exitCode: 71,
    meaning: 'the system lets this process open too few files; `ulimit -n 4096` allows more',
  },
  BAD_OUTPUT: { exitCode: 73, meaning: 'an output file already exists, or cannot be written' },
  STORE_FULL: { exitCode: 73, meaning: 'the disk is full' },
  STORE_FAILED: { exitCode: 74, meaning: 'the store refused to read or write' },
  STORE_AWAY: {
    exitCode: 75,
    meaning: 'HBase cannot be reached, or has no server for a row now; try again later',
  },
  SEARCH_BUSY: { exitCode: 75, meaning: 'too many searches wait, or one took too long; try again later' },
  LEASE_HELD: { exitCode: 75, meaning: 'another worker has this part of the table; try again later' },
  LEASE_LOST: {
    exitCode: 75,
    meaning: 'this worker renewed its leases too late, and another may have its slots; run the command again',
  },
  TABLE_VERSION: { exitCode: 76, meaning: 'the table was written by another version' },
  STORE_DENIED: { exitCode: 77, meaning: 'HBase does not let this user read or write the table' },
  BAD_PLUGIN: { exitCode: 77, meaning: 'a plugin cannot be loaded or is not a plugin' },
  BAD_SETTING: { exitCode: 78, meaning: 'a setting is unknown or has a wrong value; all wrong settings are listed' },
} as const satisfies Record<string, { exitCode: number; meaning: string }>;

/** A stable name of an error. */
export type ErrorCode = keyof typeof ERROR_CODES;
