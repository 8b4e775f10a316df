import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createInbox, type Inbox } from '../../../webtable/live/inbox.js';
import { encodeMessage } from '../../../webtable/live/messages.js';
import { createRoom, type Room } from '../../../webtable/live/room.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** An inbox, and how often its client was to be dropped. */
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

/** A message of so many bytes. */
const messageOf = (bytes: number): Buffer => encodeMessage({}, [Buffer.alloc(bytes - encodeMessage({}).length)]);

test('the client that holds the most is dropped, whether of half a message or of whole ones, and its room is free', () => {
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
  // What comes of it is not kept.
  b.inbox.read(messageOf(999));
  expect(b.inbox.waiting).toBe(0);
  // It may be the one that has just sent something.
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

test('one that begins a message has thirty seconds to end it, whatever else it sends meanwhile', () => {
  const { inbox, dropped } = inboxIn(createRoom());
  const message = messageOf(100);
  inbox.read(Buffer.concat([message, message.subarray(0, 50)]));
  vi.advanceTimersByTime(29_000);
  inbox.read(message.subarray(50, 60));
  expect(dropped).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1000);
  expect(dropped).toHaveBeenCalledOnce();
});

test('one whose messages are whole is not dropped', () => {
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

test('the time does not run out while nothing is read', () => {
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
