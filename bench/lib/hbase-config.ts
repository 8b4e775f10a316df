import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface HBasePorts {
  readonly zookeeper: number;
  readonly master: number;
}

export interface HBaseSetting {
  readonly regionServers: number;
  readonly session: number;
}

/** Number of ZooKeeper ticks in a session; from 2 to 20 are allowed. */
const TICKS_OF_SESSION = 6;

/**
 * Writes the configuration of a cluster that runs on one machine and stores its data in a folder.
 * @param folder of the cluster: `conf` is written there, data and logs go there
 */
export async function writeHBaseConfig(folder: string, ports: HBasePorts, setting: HBaseSetting): Promise<void> {
  const conf = join(folder, 'conf');
  for (const name of ['conf', 'data', 'logs', 'tmp']) await mkdir(join(folder, name), { recursive: true });
  await writeFile(join(conf, 'core-site.xml'), xml(hadoop(folder)));
  await writeFile(join(conf, 'hbase-site.xml'), xml(hbase(folder, ports, setting)));
  await writeFile(join(conf, 'log4j2.properties'), LOGGING);
}

const hadoop = (folder: string) => ({
  'hadoop.tmp.dir': join(folder, 'tmp'),
  'fs.defaultFS': 'file:///',
  // This file system claims to support hflush, and has no checksum layer that delays the end of a write-ahead log. So acknowledged writes
  // survive the process, as on HDFS.
  'fs.file.impl': 'org.apache.hadoop.fs.RawLocalFileSystem',
});

const hbase = (folder: string, { zookeeper, master }: HBasePorts, { regionServers, session }: HBaseSetting) => ({
  'hbase.rootdir': `file://${join(folder, 'data')}`,
  'hbase.tmp.dir': join(folder, 'tmp'),
  // For the process of the master, which then contains ZooKeeper. Region servers have another value.
  'hbase.cluster.distributed': false,
  'hbase.localcluster.assign.random.ports': regionServers === 0,
  'hbase.wal.provider': 'filesystem',
  'hbase.wal.meta_provider': 'filesystem',
  'hbase.zookeeper.quorum': '127.0.0.1',
  'hbase.zookeeper.property.clientPort': zookeeper,
  'hbase.zookeeper.property.dataDir': join(folder, 'tmp/zookeeper'),
  'hbase.zookeeper.property.tickTime': session / TICKS_OF_SESSION,
  // How soon a killed server is noticed. The process of the master uses the other name.
  'zookeeper.session.timeout': session,
  'zookeeper.session.timeout.localHBaseCluster': session,
  'hbase.master.port': master,
  'hbase.master.info.port': -1,
  'hbase.regionserver.info.port': -1,
  'hbase.thrift.info.port': -1,
  'hbase.master.hostname': 'localhost',
  'hbase.unsafe.regionserver.hostname': 'localhost',
  'hbase.master.ipc.address': '127.0.0.1',
  'hbase.regionserver.ipc.address': '127.0.0.1',
  'hbase.regionserver.handler.count': 10,
  'hbase.master.wait.on.regionservers.mintostart': Math.max(1, regionServers),
  'hbase.regionserver.thrift.framed.max_frame_size_in_mb': 64,
  'hbase.thrift.server.socket.read.timeout': 600_000,
  'hbase.client.pause': 100,
  'hbase.client.retries.number': 30,
  'hbase.rpc.timeout': 10_000,
  'hbase.client.operation.timeout': 60_000,
  'hbase.client.scanner.timeout.period': 60_000,
});

const LOGGING = `status = error
appender.f.type = File
appender.f.name = f
appender.f.fileName = \${sys:log.file}
appender.f.layout.type = PatternLayout
appender.f.layout.pattern = %d{ISO8601} %-5p [%t] %c{2}: %m%n
rootLogger.level = info
rootLogger.appenderRef.f.ref = f
logger.zk.name = org.apache.zookeeper
logger.zk.level = warn
`;

function xml(properties: Readonly<Record<string, string | number | boolean>>): string {
  const lines = Object.entries(properties).map(
    ([name, value]) => `<property><name>${name}</name><value>${value}</value></property>`,
  );
  return `<?xml version="1.0"?>\n<configuration>\n${lines.join('\n')}\n</configuration>\n`;
}
