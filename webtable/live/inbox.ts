import { MAX_REQUEST, createMessageReader, type Message } from './messages.js';
import type { Room } from './room.js';

/** Maximum milliseconds from the start to the end of a message. */
const MESSAGE_MS = 30_000;

/** Options of {@link createInbox}. */
export interface InboxOptions {
  /** Bounds the memory of all unanswered requests of all clients. */
  readonly room: Room;
  /** Maximum milliseconds from the start to the end of a message, without pauses of reading. Default: {@link MESSAGE_MS}. */
  readonly messageMs?: number | undefined;
  /** Whether reading from the client is paused. */
  readonly isPaused: () => boolean;
  /** Disconnects a client that uses too much memory, or takes too long to complete a message. */
  readonly onDrop: () => void;
}

/** The messages of a client, until they are answered. */
export type Inbox = ReturnType<typeof createInbox>;

/** Makes the inbox of a client. `room` bounds the memory of its messages, and a time limit bounds the wait for an incomplete message. */
export function createInbox({ room, messageMs = MESSAGE_MS, isPaused, onDrop }: InboxOptions) {
  const place = room.enter(onDrop);
  const waiting: Message[] = [];
  /** Number of received bytes of unanswered messages. `whole` counts only the bytes of complete messages. */
  let held = 0;
  let whole = 0;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let readChunk = createMessageReader(MAX_REQUEST, (message) => {
    waiting.push(message);
    whole += message.size;
    clearTimeout(timer);
    timer = undefined;
  });

  return {
    /** Number of complete messages that `take` has not returned yet. */
    get waiting() {
      return waiting.length;
    },
    /** @throws Error if the bytes are not part of a message */
    read(chunk: Buffer): void {
      held += chunk.length;
      place.hold(held);
      readChunk(chunk);
      if (held > whole && !isClosed) timer ??= setTimeout(() => !isPaused() && onDrop(), messageMs).unref();
    },
    /** The next message. Call {@link done} when the message is answered. */
    take: (): Message | undefined => waiting.shift(),
    done({ size }: Message): void {
      held -= size;
      whole -= size;
      place.hold(held);
    },
    /** Call it when reading continues after a pause. */
    resumed: (): void => void timer?.refresh(),
    /** Stops reading, and drops the stored messages. */
    close(): void {
      isClosed = true;
      waiting.length = 0;
      readChunk = () => undefined;
      clearTimeout(timer);
      place.leave();
    },
  };
}
