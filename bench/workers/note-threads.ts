// Loaded before a program by `--import`, in each of its threads that runs JavaScript: notes the CPU time of all threads.
import { readFileSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { readlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { NOTES_FILE, NOTES_FOLDER, type ThreadNotes } from '../lib/thread-times.js';

const TASKS = '/proc/self/task';
const SELF = '/proc/thread-self';
const LOOK_MS = 100;
const POOL = 4;

const folder = process.env[NOTES_FOLDER];
if (folder !== undefined && process.platform === 'linux') {
  if (isMainThread) noteAll(folder);
  else writeFileSync(join(folder, `worker-${basename(readlinkSync(SELF))}`), '');
}

function noteAll(folder: string): void {
  const seconds: Record<string, number> = {};
  const pool = new Set<string>();
  const first = readdirSync(TASKS);

  const look = (): void => {
    for (const thread of readdirSync(TASKS)) {
      try {
        const nanoseconds = readFileSync(join(TASKS, thread, 'schedstat'), 'latin1').split(' ')[0];
        seconds[thread] = Number(nanoseconds) / 1e9;
      } catch {
        // The thread has ended.
      }
    }
    // Reading this link in a pool thread tells the id of that thread.
    for (let i = pool.size; i < POOL; i++) void readlink(SELF).then((name) => pool.add(basename(name)));
  };
  setInterval(look, LOOK_MS).unref();
  process.on('exit', () => {
    look();
    const { user, system } = process.cpuUsage();
    const main = String(process.pid);
    const notes: ThreadNotes = { main, first, pool: [...pool], seconds, total: (user + system) / 1e6 };
    writeFileSync(join(folder, NOTES_FILE), JSON.stringify(notes));
  });
}
