import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createInbox, type Inbox } from '../../../webtable/live/inbox.js';
import { encodeMessage } from '../../../webtable/live/messages.js';
import { createRoom, type Room } from '../../../webtable/live/room.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** An inbox, and how many times it asked to drop its client. */
function inboxIn(room: Room, isPaused = () => false) {
  const dropped = vi.fn();
  const inbox: Inbox = createInbox({
    room,
    isPaused,
    onDrop() {
      dropped();
      inbox.close();
    },
  });
  return { inbox, dropped };
}

/** A message of the given number of bytes. */
const messageOf = (bytes: number): Buffer => encodeMessage({}, [Buffer.alloc(bytes - encodeMessage({}).length)]);

test('the client that holds the most bytes is dropped, for an incomplete message or complete ones, and its room is freed', () => {
  const room = createRoom(1000);
  const [a, b, c] = [inboxIn(room), inboxIn(room), inboxIn(room)];
  a.inbox.read(messageOf(500).subarray(0, 300));
  b.inbox.read(messageOf(500));
  b.inbox.read(messageOf(100));
  expect(b.inbox.waiting).toBe(2);
  expect([a.dropped, b.dropped, c.dropped].map(({ mock }) => mock.calls.length)).toEqual([0, 0, 0]);
  c.inbox.read(messageOf(200));
  expect([a.dropped, b.dropped, c.dropped].map(({ mock }) => mock.calls.length)).toEqual([0, 1, 0]);
  expect(b.inbox.waiting).toBe(0);
  // Later bytes of the dropped client are not stored.
  b.inbox.read(messageOf(999));
  expect(b.inbox.waiting).toBe(0);
  // The client that has just sent something may be the one that is dropped.
  c.inbox.read(messageOf(500));
  expect([a.dropped, b.dropped, c.dropped].map(({ mock }) => mock.calls.length)).toEqual([0, 1, 0]);
  c.inbox.read(messageOf(100));
  expect([a.dropped, b.dropped, c.dropped].map(({ mock }) => mock.calls.length)).toEqual([0, 1, 1]);
});

test('a message counts until it is answered, and no longer', () => {
  const room = createRoom(1000);
  const { inbox, dropped } = inboxIn(room);
  for (let i = 0; i < 10; i++) {
    inbox.read(messageOf(900));
    const message = inbox.take()!;
    expect(message.size).toBe(900);
    inbox.done(message);
  }
  inbox.read(messageOf(900));
  const inWork = inbox.take()!;
  expect(dropped).not.toHaveBeenCalled();
  inbox.read(messageOf(200));
  expect(dropped).toHaveBeenCalledOnce();
  inbox.done(inWork);
  const other = inboxIn(room);
  other.inbox.read(messageOf(1000));
  expect(other.dropped).not.toHaveBeenCalled();
});

test('a client has thirty seconds to complete a message, whatever else it sends meanwhile', () => {
  const { inbox, dropped } = inboxIn(createRoom());
  const message = messageOf(100);
  inbox.read(Buffer.concat([message, message.subarray(0, 50)]));
  vi.advanceTimersByTime(29_000);
  inbox.read(message.subarray(50, 60));
  expect(dropped).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1000);
  expect(dropped).toHaveBeenCalledOnce();
});

test('a client with only complete messages is not dropped', () => {
  const { inbox, dropped } = inboxIn(createRoom());
  const message = messageOf(100);
  inbox.read(message.subarray(0, 50));
  vi.advanceTimersByTime(29_000);
  inbox.read(Buffer.concat([message.subarray(50), message.subarray(0, 10)]));
  vi.advanceTimersByTime(29_000);
  inbox.read(message.subarray(10));
  vi.advanceTimersByTime(600_000);
  expect(dropped).not.toHaveBeenCalled();
});

test('the time does not run while reading is paused', () => {
  let isPaused = true;
  const { inbox, dropped } = inboxIn(createRoom(), () => isPaused);
  inbox.read(messageOf(100).subarray(0, 50));
  vi.advanceTimersByTime(600_000);
  expect(dropped).not.toHaveBeenCalled();
  isPaused = false;
  inbox.resumed();
  vi.advanceTimersByTime(29_000);
  expect(dropped).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1000);
  expect(dropped).toHaveBeenCalledOnce();
});
