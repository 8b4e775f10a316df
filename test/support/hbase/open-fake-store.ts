import type { Store } from '../../../webtable/index.js';
import type { OpenedStore } from '../../../webtable/store-suite/index.js';
import { createHBaseTables } from '../../../webtable/stores/hbase/create-tables.js';
import { GATEWAY_TIMES, type GatewayTimes } from '../../../webtable/stores/hbase/gateway/gateways.js';
import { openHBaseStore } from '../../../webtable/stores/hbase/open-hbase-store.js';
import { fakeGateway, type FakeCall, type FakeGateway, type Reaction } from './fake-gateway.js';
import { FakeHBase } from './fake-hbase.js';

/** Pauses so short that tests do not notice them. */
export const QUICK: GatewayTimes = { ...GATEWAY_TIMES, firstPause: 1, longestPause: 4 };

/** A table on HBase in memory, behind gateways. */
export interface FakeTable {
  readonly url: string;
  readonly hbase: FakeHBase;
  readonly gateways: readonly FakeGateway[];
  open(): Promise<Store>;
  close(): Promise<void>;
}

/**
 * Makes one, with its tables.
 * @param around what gateways do about calls, from when the tables are made
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

/** A store on one, for tests of all stores. */
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

/** Makes calls, and now and then closes the connection before it was made, after it, or within the answer. */
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
