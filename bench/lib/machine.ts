import { execFileSync } from 'node:child_process';
import { arch, availableParallelism, cpus, loadavg, platform, release, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('.', import.meta.url));

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly system: string;
  readonly node: string;
  /** Load average over one minute before the bench began. A value well above 0 means a busy machine. */
  readonly load: number;
  readonly commit: string;
  readonly date: string;
}

export function describeMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${release()} ${arch()}`,
    node: process.version,
    load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
    commit: firstLine('git', ['-C', HERE, 'describe', '--always', '--dirty']) ?? 'unknown',
    date: new Date().toISOString().slice(0, 10),
  };
}

export function machineLine(machine: Machine): string {
  const { cpu, cores, memoryGb, system, node, load, commit, date } = machine;
  return `${cpu}, ${cores} cores, ${memoryGb} GB; ${system}; Node ${node}; load ${load}; ${commit}; ${date}`;
}

export function firstLine(command: string, args: readonly string[]): string | undefined {
  try {
    const output = execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return output.trim().split('\n')[0];
  } catch {
    return undefined;
  }
}
