import type { Store } from '../../../webtable/index.js';
import type { OpenedStore } from '../../../webtable/store-suite/index.js';
import { createHBaseTables } from '../../../packages/hbase/create-tables.js';
import { GATEWAY_TIMES, type GatewayTimes } from '../../../packages/hbase/gateway/gateways.js';
import { openHBaseStore } from '../../../packages/hbase/open-hbase-store.js';
import { fakeGateway, type FakeCall, type FakeGateway, type Reaction } from './fake-gateway.js';
import { FakeHBase } from './fake-hbase.js';

/** Pauses that are too short to delay tests. */
export const QUICK: GatewayTimes = { ...GATEWAY_TIMES, firstPause: 1, longestPause: 4 };

/** An HBase table in memory, behind gateways. */
export interface FakeTable {
  readonly url: string;
  readonly hbase: FakeHBase;
  readonly gateways: readonly FakeGateway[];
  open(): Promise<Store>;
  close(): Promise<void>;
}

/**
 * Makes such a table.
 * @param around wraps the reaction of gateways to calls after the tables are made
 */
export async function fakeTable({
  gateways: count = 1,
  around = (call, answer) => answer(call),
  mostBytes,
}: {
  gateways?: number;
  around?: (call: FakeCall, answer: (call: FakeCall) => Reaction) => Reaction;
  mostBytes?: number;
} = {}): Promise<FakeTable> {
  const hbase = new FakeHBase();
  let isMade = false;
  const react = (call: FakeCall): Reaction => (isMade ? around(call, hbase.react) : hbase.react(call));
  const options = mostBytes === undefined ? {} : { mostBytes };
  const gateways = await Promise.all(Array.from({ length: count }, () => fakeGateway(react, options)));
  const url = `hbase://${gateways.map(({ address }) => address).join(',')}/crawls:one`;
  await createHBaseTables(url, { slots: 16, times: QUICK });
  isMade = true;
  return {
    url,
    hbase,
    gateways,
    open: () => openHBaseStore(url, { times: QUICK }),
    close: async () => void (await Promise.all(gateways.map((gateway) => gateway.close()))),
  };
}

/** A store on such a table, for tests of all stores. */
export async function openFakeStore(options: Parameters<typeof fakeTable>[0] = {}): Promise<OpenedStore> {
  const table = await fakeTable(options);
  let store = await table.open();
  return {
    store,
    async reopen() {
      await store.close();
      return (store = await table.open());
    },
    async cleanup() {
      await store.close();
      await table.close();
    },
  };
}

/** Makes calls, and sometimes closes the connection before the call, after it, or within the answer. */
export function losing(
  random: () => number,
  share = 0.05,
): (call: FakeCall, answer: (call: FakeCall) => Reaction) => Reaction {
  return (call, answer) => {
    const drawn = random() / share;
    if (drawn >= 1) return answer(call);
    if (drawn < 0.3) return 'close';
    const made = answer(call);
    return drawn < 0.6 ? 'close' : { part: made, length: Math.floor(drawn * 20) };
  };
}
