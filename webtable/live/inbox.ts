import { MAX_REQUEST, createMessageReader, type Message } from './messages.js';

/** Maximum milliseconds from the start to the end of a message. */
const MESSAGE_MS = 30_000;

/** Options of {@link createInbox}. */
export interface InboxOptions {
  /**
   * Called when the number of stored bytes changes, with the difference and the new number. Returns false if they are too many; the client is
   * then disconnected.
   */
  readonly onBytes: (difference: number, all: number) => boolean;
  /** Maximum milliseconds from the start to the end of a message, without pauses of reading. Default: {@link MESSAGE_MS}. */
  readonly messageMs?: number | undefined;
  /** Whether reading from the client is paused. */
  readonly isPaused: () => boolean;
  /** Disconnects a client that uses too much memory, or takes too long to complete a message. */
  readonly onDrop: () => void;
}

/** The requests of a client, until their responses are sent. */
export type Inbox = ReturnType<typeof createInbox>;

/** Creates the inbox of a client. A time limit bounds the wait for an incomplete message. */
export function createInbox({ onBytes, messageMs = MESSAGE_MS, isPaused, onDrop }: InboxOptions) {
  const waiting: Message[] = [];
  /** Number of received bytes of messages without a response. `complete` counts only the bytes of complete messages. */
  let held = 0;
  let complete = 0;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const readChunk = createMessageReader(MAX_REQUEST, (message) => {
    waiting.push(message);
    complete += message.size;
    clearTimeout(timer);
    timer = undefined;
  });
  const hold = (difference: number): boolean => onBytes(difference, (held += difference));

  return {
    /** Number of complete messages that `take` has not returned yet. */
    get waiting() {
      return waiting.length;
    },
    /** @throws Error if the bytes are not part of a message */
    read(chunk: Buffer): void {
      if (isClosed) return;
      if (!hold(chunk.length)) return onDrop();
      readChunk(chunk);
      if (held > complete) timer ??= setTimeout(() => !isPaused() && onDrop(), messageMs).unref();
    },
    /** The next message. Call {@link done} when its response is sent. */
    take: (): Message | undefined => waiting.shift(),
    done({ size }: Message): void {
      if (isClosed) return;
      complete -= size;
      hold(-size);
    },
    /** Call it when reading continues after a pause. */
    resumed: (): void => void timer?.refresh(),
    /** Stops reading, and drops the stored messages. */
    close(): void {
      if (isClosed) return;
      isClosed = true;
      waiting.length = 0;
      clearTimeout(timer);
      hold(-held);
    },
  };
}
