// Replaces kubectl and a cluster. Jobs are files below the folder KUBECTL_FOLDER. Pods of an Indexed Job are processes on this machine that
// run the command in KUBECTL_COMMAND (JSON) with the arguments of the first container. It supports only the calls of the runner.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const folder = process.env.KUBECTL_FOLDER;
const args = process.argv.slice(2);
const own = fileURLToPath(import.meta.url);
const read = (file) => JSON.parse(readFileSync(file, 'utf8'));
const jobFile = (name) => join(folder, 'jobs', `${name}.json`);
const podFolder = (name) => join(folder, 'pods', name);
const print = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
function write(file, value) {
  writeFileSync(`${file}.${process.pid}`, JSON.stringify(value));
  renameSync(`${file}.${process.pid}`, file);
}
function fail(text) {
  process.stderr.write(`${text}\n`);
  process.exit(1);
}

if (args[0] === 'control') await control(args[1]);
else if (args[0] === 'create' && args.includes('--dry-run=client')) print(read(args[args.indexOf('-f') + 1]));
else if (args[0] === 'create') create(JSON.parse(readFileSync(0, 'utf8')));
else if (args[0] === 'get' && args[1] === 'job') {
  if (existsSync(jobFile(args[2]))) print(read(jobFile(args[2])));
} else if (args[0] === 'get' && args[1] === 'pods') {
  const pods = podFolder(args[args.indexOf('-l') + 1].replace('job-name=', ''));
  print({
    items: existsSync(pods)
      ? readdirSync(pods)
          .filter((name) => name.endsWith('.json'))
          .map((name) => read(join(pods, name)))
      : [],
  });
} else if (args[0] === 'delete' && args[1] === 'job') await remove(args[2]);
else fail(`error: unknown command ${args.join(' ')}`);

function create(job) {
  const { name } = job.metadata;
  if (existsSync(jobFile(name))) fail(`Error from server (AlreadyExists): jobs.batch "${name}" already exists`);
  mkdirSync(join(folder, 'jobs'), { recursive: true });
  mkdirSync(podFolder(name), { recursive: true });
  write(jobFile(name), { ...job, status: {} });
  // The controller survives the process that made the Job.
  spawn(process.execPath, [own, 'control', name], { detached: true, stdio: 'ignore', env: process.env }).unref();
}

/** Runs the pods of a Job, with restarts by its backoffLimitPerIndex and its podFailurePolicy, and maintains its status. */
async function control(name) {
  const { spec } = read(jobFile(name));
  const [container] = spec.template.spec.containers;
  const fatal = (spec.podFailurePolicy?.rules ?? []).flatMap((rule) =>
    rule.action === 'FailIndex' ? rule.onExitCodes.values : [],
  );
  const [program, ...first] = JSON.parse(process.env.KUBECTL_COMMAND);
  const completed = [];
  const failed = [];
  const running = new Set();
  let isDeleted = false;
  let made = 0;
  const note = (status) => !isDeleted && write(jobFile(name), { ...read(jobFile(name)), status });
  const status = (conditions) => ({
    completedIndexes: [...completed].sort((a, b) => a - b).join(','),
    failedIndexes: failed.join(','),
    ...(conditions && { conditions }),
  });
  process.on('SIGTERM', () => {
    isDeleted = true;
    for (const child of running) child.kill('SIGTERM');
  });
  write(join(podFolder(name), 'control.pid'), process.pid);

  async function pod(index) {
    const env = Object.fromEntries((container.env ?? []).map(({ name: key, value }) => [key, value]));
    const child = spawn(program, [...first, ...container.args], {
      env: { ...process.env, ...env, JOB_COMPLETION_INDEX: String(index) },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    running.add(child);
    let message = '';
    child.stderr.on('data', (data) => (message += data));
    const [code, signal] = await new Promise((resolve) => child.once('close', (...end) => resolve(end)));
    running.delete(child);
    const exitCode = code ?? (signal === 'SIGKILL' ? 137 : 143);
    const order = made++;
    write(join(podFolder(name), `${order}.json`), {
      metadata: {
        annotations: { 'batch.kubernetes.io/job-completion-index': String(index) },
        creationTimestamp: new Date(1e12 + order * 1000).toISOString(),
      },
      status: { containerStatuses: [{ state: { terminated: { exitCode, message } } }] },
    });
    return exitCode;
  }

  await Promise.all(
    Array.from({ length: spec.completions }, async (_, index) => {
      for (let failures = 0; !isDeleted;) {
        const exitCode = await pod(index);
        if (exitCode === 0) completed.push(index);
        else if (fatal.includes(exitCode) || ++failures > spec.backoffLimitPerIndex) failed.push(index);
        else continue;
        return note(status());
      }
    }),
  );
  note(status([{ type: failed.length > 0 ? 'Failed' : 'Complete', status: 'True' }]));
}

/** The Job is removed when its pods have ended. */
async function remove(name) {
  const pidFile = join(podFolder(name), 'control.pid');
  if (existsSync(pidFile)) {
    const pid = read(pidFile);
    try {
      process.kill(pid, 'SIGTERM');
      for (;;) {
        process.kill(pid, 0);
        await wait(20);
      }
    } catch {
      // The process has ended.
    }
  }
  rmSync(jobFile(name), { force: true });
  rmSync(podFolder(name), { recursive: true, force: true });
}
