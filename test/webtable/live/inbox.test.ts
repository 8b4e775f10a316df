import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createInbox, type Inbox } from '../../../webtable/live/inbox.js';
import { encodeMessage } from '../../../webtable/live/messages.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** An inbox, how many times it dropped its client, and the bytes that it reported. */
function inboxWith({ maxBytes = Infinity, isPaused = (): boolean => false } = {}) {
  const dropped = vi.fn();
  const bytes = { all: 0 };
  const inbox: Inbox = createInbox({
    onBytes: (difference, all) => (bytes.all += difference) === all && all <= maxBytes,
    isPaused,
    onDrop() {
      dropped();
      inbox.close();
    },
  });
  return { inbox, dropped, bytes };
}

/** A message of the given number of bytes. */
const messageOf = (bytes: number): Buffer => encodeMessage({}, [Buffer.alloc(bytes - encodeMessage({}).length)]);

test('a message counts until its response is sent, and no longer', () => {
  const { inbox, dropped, bytes } = inboxWith({ maxBytes: 1000 });
  for (let i = 0; i < 10; i++) {
    inbox.read(messageOf(900));
    const message = inbox.take()!;
    expect([message.size, bytes.all]).toEqual([900, 900]);
    inbox.done(message);
  }
  expect(bytes.all).toBe(0);
  expect(dropped).not.toHaveBeenCalled();
});

test('a client with too many bytes is dropped, its bytes are free, and later ones are not stored', () => {
  const { inbox, dropped, bytes } = inboxWith({ maxBytes: 1000 });
  inbox.read(messageOf(900));
  const running = inbox.take()!;
  inbox.read(messageOf(200).subarray(0, 101));
  expect([dropped.mock.calls.length, bytes.all]).toEqual([1, 0]);
  inbox.done(running);
  inbox.read(messageOf(500));
  expect([inbox.waiting, bytes.all]).toEqual([0, 0]);
});

test('a client has thirty seconds to complete a message, whatever else it sends meanwhile', () => {
  const { inbox, dropped } = inboxWith();
  const message = messageOf(100);
  inbox.read(Buffer.concat([message, message.subarray(0, 50)]));
  vi.advanceTimersByTime(29_000);
  inbox.read(message.subarray(50, 60));
  expect(dropped).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1000);
  expect(dropped).toHaveBeenCalledOnce();
});

test('a client with only complete messages is not dropped', () => {
  const { inbox, dropped } = inboxWith();
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
  const { inbox, dropped } = inboxWith({ isPaused: () => isPaused });
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
