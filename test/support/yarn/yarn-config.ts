import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The ports of a cluster, all of 127.0.0.1. */
export interface YarnPorts {
  readonly resources: number;
  readonly scheduler: number;
  readonly tracker: number;
  readonly admin: number;
  readonly web: number;
  readonly node: number;
  readonly localizer: number;
  readonly nodeWeb: number;
  readonly shuffle: number;
}

/** Options of Java 17 for packages that Hadoop accesses; the others are for short lives on few cores. */
export const JAVA = [
  ...['java.lang', 'java.util', 'java.net', 'sun.nio.ch'].flatMap((name) => [
    `--add-opens=java.base/${name}=ALL-UNNAMED`,
  ]),
  '-XX:+UseSerialGC',
  '-XX:TieredStopAtLevel=1',
  '-Djava.net.preferIPv4Stack=true',
];

/**
 * Writes the configuration of a cluster of one node into its folder, `conf`; its file system is that of the machine.
 * @param path the PATH of tasks
 */
export async function writeYarnConfig(folder: string, jars: string, path: string, ports: YarnPorts): Promise<void> {
  const conf = join(folder, 'conf');
  await mkdir(conf, { recursive: true });
  const at = (port: number): string => `127.0.0.1:${port}`;
  const classPath = `${conf}:${join(jars, '*')}`;
  const files: Readonly<Record<string, Properties>> = {
    'core-site.xml': { 'fs.defaultFS': 'file:///', 'hadoop.tmp.dir': join(folder, 'tmp') },
    'yarn-site.xml': {
      'yarn.resourcemanager.hostname': '127.0.0.1',
      'yarn.resourcemanager.address': at(ports.resources),
      'yarn.resourcemanager.scheduler.address': at(ports.scheduler),
      'yarn.resourcemanager.resource-tracker.address': at(ports.tracker),
      'yarn.resourcemanager.admin.address': at(ports.admin),
      'yarn.resourcemanager.webapp.address': at(ports.web),
      'yarn.resourcemanager.nodemanagers.heartbeat-interval-ms': 200,
      'yarn.scheduler.minimum-allocation-mb': 128,
      'yarn.nodemanager.bind-host': '127.0.0.1',
      'yarn.nodemanager.address': at(ports.node),
      'yarn.nodemanager.localizer.address': at(ports.localizer),
      'yarn.nodemanager.webapp.address': at(ports.nodeWeb),
      'yarn.nodemanager.local-dirs': join(folder, 'local'),
      'yarn.nodemanager.log-dirs': join(folder, 'containers'),
      'yarn.nodemanager.aux-services': 'mapreduce_shuffle',
      'mapreduce.shuffle.port': ports.shuffle,
      // V8 reserves much address space.
      'yarn.nodemanager.vmem-check-enabled': false,
      'yarn.nodemanager.pmem-check-enabled': false,
      'yarn.nodemanager.resource.memory-mb': 4096,
      'yarn.nodemanager.resource.cpu-vcores': 8,
      'yarn.nodemanager.disk-health-checker.enable': false,
      'yarn.application.classpath': classPath,
    },
    'capacity-scheduler.xml': {
      'yarn.scheduler.capacity.root.queues': 'default',
      'yarn.scheduler.capacity.root.default.capacity': 100,
      'yarn.scheduler.capacity.maximum-am-resource-percent': 1,
    },
    'mapred-site.xml': {
      'mapreduce.framework.name': 'yarn',
      'mapreduce.application.classpath': classPath,
      'mapreduce.map.memory.mb': 256,
      'mapreduce.map.env': `PATH=${path}`,
      'mapreduce.map.java.opts': `-Xmx128m ${JAVA.join(' ')}`,
      'mapreduce.client.completion.pollinterval': 500,
      'mapreduce.client.progressmonitor.pollinterval': 500,
      'yarn.app.mapreduce.am.staging-dir': join(folder, 'staging'),
      'yarn.app.mapreduce.am.resource.mb': 512,
      'yarn.app.mapreduce.am.command-opts': `-Xmx256m ${JAVA.join(' ')}`,
      'yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms': 200,
      // There is only one node.
      'yarn.app.mapreduce.am.job.node-blacklisting.enable': false,
    },
  };
  for (const [name, properties] of Object.entries(files)) await writeFile(join(conf, name), xml(properties));
  await writeFile(join(conf, 'log4j.properties'), LOGGING);
}

type Properties = Readonly<Record<string, string | number | boolean>>;

const LOGGING = `log4j.rootLogger=INFO,C
log4j.appender.C=org.apache.log4j.ConsoleAppender
log4j.appender.C.layout=org.apache.log4j.PatternLayout
log4j.appender.C.layout.ConversionPattern=%d %p %c: %m%n
`;

function xml(properties: Properties): string {
  const lines = Object.entries(properties).map(
    ([name, value]) => `<property><name>${name}</name><value>${value}</value></property>`,
  );
  return `<?xml version="1.0"?>\n<configuration>\n${lines.join('\n')}\n</configuration>\n`;
}
