import { CrawlError } from '../../errors/index.js';
import { pause } from '../../util/index.js';
import { createPolling } from '../back-off.js';
import type { Pass, Runner, WorkerExit } from '../runner.js';
import { indexesOf } from './indexes.js';
import { outputOf, runProgram } from './run-program.js';

/** Options of {@link kubernetesRunner}. */
export interface KubernetesRunnerOptions {
  /** The manifest of a Job. Its first container runs the workers. The runner sets the name, the size and the arguments of the Job. */
  readonly template: string;
  /** Maximum number of pods at a time. Absent: one pod for each shard. */
  readonly parallel?: number;
  /** Maximum milliseconds between two polls of the Job. Polls are more frequent at first. Default: 5,000. */
  readonly poll?: number;
  /** Environment variables of kubectl. Absent: the variables of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

const HINT = 'install kubectl, and give it access to the cluster; in a pod, the ServiceAccount is enough';

/** The parts of a Job that the runner reads or sets. */
interface Job {
  metadata: { name?: string; generateName?: string; labels?: Record<string, string> };
  spec: {
    completions?: number;
    parallelism?: number;
    completionMode?: string;
    template: {
      spec: {
        containers: { args?: string[]; env?: { name: string; value?: string }[]; terminationMessagePolicy?: string }[];
      };
    };
  };
  status?: { conditions?: { type: string; status: string }[]; completedIndexes?: string; failedIndexes?: string };
}

interface Pod {
  metadata: { annotations?: Record<string, string>; creationTimestamp?: string };
  status?: { containerStatuses?: { state?: { terminated?: { exitCode: number; message?: string } } }[] };
}

/**
 * Makes a runner that creates an Indexed Job with `kubectl`, and waits until the Job has ended. The Job has one pod for each shard.
 * Kubernetes restarts pods that fail, according to the template. If an earlier call has created a Job for the same batch and step, and this
 * Job has not ended, the runner waits for it.
 */
export function kubernetesRunner({ template, parallel, poll = 5000, env }: KubernetesRunnerOptions): Runner {
  return async (pass, { signal, onExit }) => {
    const name = jobNameOf(pass);
    const found = await find(name);
    if (!found || endOf(found) !== undefined) {
      if (found) await kubectl(['delete', 'job', name, '--wait=true']);
      await kubectl(['create', '-f', '-'], JSON.stringify(await filledIn(pass, name)));
    }
    const done = new Set<number>();
    const nextPoll = createPolling(poll);
    for (;;) {
      const job = await find(name);
      if (!job) throw new CrawlError('WORKER_FAILED', `expected the Job ${name}, but it was deleted`);
      for (const shard of indexesOf(job.status?.completedIndexes)) {
        if (!done.has(shard)) onExit({ shard, exitCode: 0 });
        done.add(shard);
      }
      if (endOf(job) !== undefined) break;
      if (signal.aborted) {
        // Pods receive SIGTERM, and have their grace period to stop.
        await kubectl(['delete', 'job', name, '--cascade=foreground', '--wait=true']);
        break;
      }
      await nextPoll(signal);
    }
    const exits = signal.aborted ? [] : await failedPods(name, pass);
    for (const exit of exits) if (!done.has(exit.shard)) onExit(exit);
    const failed = new Map(exits.map((exit) => [exit.shard, exit]));
    return pass.shards.map((shard) =>
      done.has(shard) ? { shard, exitCode: 0 } : (failed.get(shard) ?? { shard, exitCode: null }),
    );
  };

  async function filledIn({ step, batchId, args, count }: Pass, name: string): Promise<Job> {
    const job = JSON.parse(await kubectl(['create', '--dry-run=client', '-o', 'json', '-f', template])) as Job;
    const [container] = job.spec.template.spec.containers;
    if (!container) throw new CrawlError('BAD_INPUT', `expected a Job with a container in ${template}, found none`);
    const { generateName: _, ...metadata } = job.metadata;
    job.metadata = {
      ...metadata,
      name,
      labels: { ...metadata.labels, 'webcrawl/batch': batchId, 'webcrawl/step': step },
    };
    Object.assign(job.spec, {
      completions: count,
      parallelism: Math.min(count, parallel ?? count),
      completionMode: 'Indexed',
    });
    container.args = [...args, '--shard', 'auto'];
    const env = (container.env ?? []).filter((variable) => variable.name !== 'WEBCRAWL_SHARDS');
    container.env = [...env, { name: 'WEBCRAWL_SHARDS', value: String(count) }];
    // With this policy, Kubernetes stores the end of a worker's log in the status of the pod.
    container.terminationMessagePolicy = 'FallbackToLogsOnError';
    return job;
  }

  async function find(name: string): Promise<Job | undefined> {
    const text = await kubectl(['get', 'job', name, '--ignore-not-found', '-o', 'json']);
    return text.trim() === '' ? undefined : (JSON.parse(text) as Job);
  }

  /** Returns the exit of the last pod of each unfinished shard. */
  async function failedPods(name: string, { shards }: Pass): Promise<WorkerExit[]> {
    const text = await kubectl(['get', 'pods', '-l', `job-name=${name}`, '-o', 'json']);
    const { items } = JSON.parse(text) as { items: Pod[] };
    const exits = new Map<number, WorkerExit>();
    const byAge = items.sort((a, b) =>
      (a.metadata.creationTimestamp ?? '').localeCompare(b.metadata.creationTimestamp ?? ''),
    );
    for (const { metadata, status } of byAge) {
      const shard = Number(metadata.annotations?.['batch.kubernetes.io/job-completion-index'] ?? NaN);
      const ended = status?.containerStatuses?.[0]?.state?.terminated;
      if (!shards.includes(shard) || !ended || ended.exitCode === 0) continue;
      exits.set(shard, {
        shard,
        exitCode: ended.exitCode,
        ...(ended.message !== undefined && { message: ended.message }),
      });
    }
    return [...exits.values()];
  }

  async function kubectl(args: readonly string[], input?: string): Promise<string> {
    const options = { hint: HINT, ...(input !== undefined && { input }), ...(env && { env }) };
    for (let tries = 1; ; tries++) {
      const { exitCode, out, err } = await runProgram(['kubectl', ...args], options);
      if (exitCode === 0) return out;
      // The API server may be unavailable for some time.
      const isAway = /connection refused|timeout|timed out|TLS handshake|EOF|unavailable|too many requests/i.test(err);
      if (!isAway || tries === 10) return outputOf(['kubectl', ...args], options);
      await pause(poll);
    }
  }
}

/** Makes a name that Kubernetes accepts: at most 63 letters, digits and hyphens. */
function jobNameOf({ batchId, step }: Pass): string {
  return `webcrawl-${batchId}-${step}`
    .toLowerCase()
    .replace(/[^a-z0-9-]/g, '-')
    .slice(0, 63);
}

/** Returns how a Job has ended. Returns undefined if it has not ended. */
function endOf({ status }: Job): 'complete' | 'failed' | undefined {
  const isTrue = (type: string): boolean =>
    status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;
  if (isTrue('Complete')) return 'complete';
  return isTrue('Failed') ? 'failed' : undefined;
}
