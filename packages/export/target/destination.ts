import type { ManifestHead, WholePart } from './journal.js';

/** Where an export is made, and where it goes. */
export interface Destination {
  /** As it was given, for messages. */
  readonly path: string;
  /** A folder of this machine for all that is not in its place yet. */
  readonly staging: string;
  /** In it: the parts. */
  readonly parts: string;
  /** In it: the manifest, before the export is in its place. */
  readonly stagedManifest: string;
  /** The name of the part of an export that is one file. */
  readonly name: string;
  /**
   * Whether the export may go there.
   * @throws CrawlError BAD_OUTPUT where something is there and `force` is not given; and always where it is nothing that an export
   *   has made
   */
  check(force: boolean): Promise<void>;
  /** Whether the parts of a whole export are not in their place yet. */
  isStaged(): Promise<boolean>;
  /** Whether nothing of a whole export has to be put in its place any more. */
  isPlaced(): Promise<boolean>;
  /** Whether an export is there. */
  exists(): Promise<boolean>;
  /**
   * Puts the parts and the manifest in their place. It may be ended between any two steps and done again.
   * @throws CrawlError BAD_OUTPUT as {@link check}, and where it cannot be written; STORE_FULL; Stopped
   */
  place(force: boolean, head: ManifestHead, parts: () => AsyncIterable<WholePart>): Promise<void>;
  /** Ends connections. */
  close(): void;
}
