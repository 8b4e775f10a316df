/** The laws of docs/OWNERSHIP.md that the model can break, one at a time. */
export const LAWS = {
  epochs: 'a write has a timestamp that begins with the epoch of its slot',
  newEpoch: 'every process takes a lease with a new epoch',
  placeBeforeRow: 'the new entry of a row is written before the row',
  rowBeforeCleanup: 'the old entry of a row is deleted after the row is written',
  confirmBeforeCleanup: 'an owner confirms its lease before it deletes old entries',
  touch: 'a row of an earlier epoch is written again before a job relies on what it read',
  headerFirst: 'the header of a batch is written before its first row',
  headerLast: 'a slot leaves the header after its rows are released',
  voidMarks: 'the mark of a batch that does not list the slot of the row is void',
  claim: 'a worker writes every row of an adopted batch again before it works on the batch',
  confirmBeforeLinks: 'updatedb confirms its lease before it reads the first page of a batch',
  sameChunks: 'every run of updatedb cuts the links of a batch at the same pages',
  fixedShares: 'what a page distributes is fixed when it is selected',
  linksBeforeRelease: 'all links of a slot are added before its first row is released',
  noteLinked: 'the header notes that the links of a slot are added, and they are not added again',
  confirmBeforeLinked: 'an owner confirms the leases of all slots that it linked before it notes that',
  linked: 'a row names the chunks of links that it has, in the change that adds them',
  inboxEpochs: 'an entry of an inbox has the epoch of the slot of its source',
  rowBeforeInbox: 'the entry of an inbox is deleted after the row is written',
  confirmBeforeInbox: 'an owner confirms its lease before it deletes entries of its inbox',
  closeAfterFold: 'a batch is closed after all inboxes are free of its links',
  closedAddsNothing: 'the links of a closed batch are late, and are not added',
  keepName: 'the header of a closed batch stays, so a late call cannot create it again',
  confirmBeforeLeave: 'an owner confirms its lease before its slots leave the header',
  checkBeforeRequest: 'a worker sends a request only while its lease is held by its own clock',
  askedAt: 'a new owner waits for the delay of each host',
} as const;

/** Laws whose histories are too rare for random seeds, so that a test plays them by hand. */
export const RARE_LAWS = {
  newRowEntry: 'a new row that joins a batch gets an entry in the frontier too',
  batchesAfterRows: 'a fold looks up which batches are closed after it has read the rows',
  clockAfterLease: 'after an owner that was taken for dead, the delay counts from the time after the lease was taken',
} as const;

export type Law = keyof typeof LAWS | keyof typeof RARE_LAWS;
export type Laws = Readonly<Record<Law, boolean>>;

export const ALL_LAWS = Object.fromEntries(Object.keys({ ...LAWS, ...RARE_LAWS }).map((law) => [law, true])) as Laws;
