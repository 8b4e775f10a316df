import { connect } from 'node:net';
import { describe, expect, inject, it } from 'vitest';
import { killPart, restartPart } from '../../bench/lib/hbase-control.js';

const hbase = inject('hbase');

describe.skipIf(!hbase)('the cluster of the tests', () => {
  const isOpen = (address: string): Promise<boolean> =>
    new Promise((resolve) => {
      const [host, port] = address.split(':');
      const socket = connect(Number(port), host, () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });

  it('loses a gateway, which comes back at the same address', async () => {
    const [first = '', second = ''] = hbase!.gateways;
    await killPart(hbase!, 'gw1');
    expect([await isOpen(first), await isOpen(second)]).toEqual([false, true]);
    await killPart(hbase!, 'gw1');
    await restartPart(hbase!, 'gw1');
    expect(await isOpen(first)).toBe(true);
  });

  it('lists its parts if an unknown part is requested', async () => {
    expect(hbase!.parts).toEqual(['master', 'rs1', 'rs2', 'gw1', 'gw2', 'admin']);
    await expect(killPart(hbase!, 'rs3')).rejects.toThrow('expected one of master, rs1');
  });
});
