import type { ManifestHead, WholePart } from './manifest.js';

export interface Destination {
  /** The target as the user wrote it, for messages. */
  readonly path: string;
  /** A folder on this machine for the files of an unfinished export. */
  readonly staging: string;
  /** The folder of the parts, within the staging folder. */
  readonly parts: string;
  readonly stagedManifest: string;
  readonly name: string;
  /** Completes or reverts a {@link place} that was interrupted. After that, the target is either the old export or the new one. */
  settle(): Promise<void>;
  /**
   * @throws CrawlError BAD_OUTPUT when something exists at the target and `force` is not given. With `force`, when something that is no
   * export exists there
   */
  check(force: boolean): Promise<void>;
  /**
   * Moves the parts and the manifest to the target, after {@link check}.
   * @throws CrawlError BAD_OUTPUT when the target cannot be written; STORE_FULL; Stopped
   */
  place(head: ManifestHead, parts: () => AsyncIterable<WholePart>, force: boolean): Promise<void>;
  close(): void;
}
