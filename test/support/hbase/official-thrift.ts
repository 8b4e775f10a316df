/** Messages written and read by the official package `thrift`, so that the codec of the store is compared with another one. */
import { createRequire } from 'node:module';

/** A value of Thrift. A struct is a list of fields, so that a test can choose their order. */
export type ThriftValue =
  | { readonly bool: boolean }
  | { readonly byte: number }
  | { readonly i16: number }
  | { readonly i32: number }
  | { readonly i64: number }
  | { readonly double: number }
  | { readonly binary: string | Buffer }
  | { readonly struct: readonly (readonly [id: number, value: ThriftValue])[] }
  | { readonly list: readonly ThriftValue[]; readonly of: number }
  | { readonly set: readonly ThriftValue[]; readonly of: number }
  | { readonly map: readonly (readonly [ThriftValue, ThriftValue])[]; readonly of: readonly [number, number] };

/** A decoded value: a struct by field ids, a list as a list, bytes as a Buffer. */
export type ReadValue = boolean | number | Buffer | ReadValue[] | { readonly [id: number]: ReadValue };

export const TYPES = {
  bool: 2,
  byte: 3,
  double: 4,
  i16: 6,
  i32: 8,
  i64: 10,
  binary: 11,
  struct: 12,
  map: 13,
  set: 14,
  list: 15,
};
export const KINDS = { call: 1, reply: 2, exception: 3, oneway: 4 };

interface Protocol {
  flush(): void;
  writeMessageBegin(name: string, kind: number, sequence: number): void;
  writeMessageEnd(): void;
  writeStructBegin(name: string): void;
  writeFieldBegin(name: string, type: number, id: number): void;
  writeFieldStop(): void;
  writeListBegin(type: number, size: number): void;
  writeSetBegin(type: number, size: number): void;
  writeMapBegin(keys: number, values: number, size: number): void;
  writeBool(value: boolean): void;
  writeByte(value: number): void;
  writeI16(value: number): void;
  writeI32(value: number): void;
  writeI64(value: number): void;
  writeDouble(value: number): void;
  writeBinary(value: string | Buffer): void;
  readMessageBegin(): { fname: string; mtype: number; rseqid: number };
  readStructBegin(): void;
  readFieldBegin(): { ftype: number; fid: number };
  readListBegin(): { etype: number; size: number };
  readBool(): boolean;
  readByte(): number;
  readI16(): number;
  readI32(): number;
  readI64(): { toNumber(): number };
  readBinary(): Buffer | string;
}
type NewTransport = new (bytes: Buffer | null, onFlush?: (frame: Buffer) => void) => object;

const thrift = createRequire(import.meta.url)('thrift') as {
  readonly TFramedTransport: NewTransport;
  readonly TBinaryProtocol: new (transport: object) => Protocol;
};

/** The frame of a message. */
export function officialFrame(method: string, kind: number, sequence: number, body: ThriftValue): Buffer {
  let frame = Buffer.alloc(0);
  const protocol = new thrift.TBinaryProtocol(
    new thrift.TFramedTransport(null, (bytes) => (frame = Buffer.from(bytes))),
  );
  protocol.writeMessageBegin(method, kind, sequence);
  write(protocol, body);
  protocol.writeMessageEnd();
  protocol.flush();
  return frame;
}

/** Decodes a message from the bytes of a frame without its length. */
export function readOfficial(bytes: Buffer): { method: string; kind: number; sequence: number; body: ReadValue } {
  const protocol = new thrift.TBinaryProtocol(new thrift.TFramedTransport(bytes));
  const { fname, mtype, rseqid } = protocol.readMessageBegin();
  return { method: fname, kind: mtype, sequence: rseqid, body: read(protocol, TYPES.struct) };
}

const typeOf = (value: ThriftValue): number => {
  const name = Object.keys(value).find((key) => key !== 'of')!;
  return TYPES[name as keyof typeof TYPES];
};

function write(protocol: Protocol, value: ThriftValue): void {
  if ('bool' in value) protocol.writeBool(value.bool);
  else if ('byte' in value) protocol.writeByte(value.byte);
  else if ('i16' in value) protocol.writeI16(value.i16);
  else if ('i32' in value) protocol.writeI32(value.i32);
  else if ('i64' in value) protocol.writeI64(value.i64);
  else if ('double' in value) protocol.writeDouble(value.double);
  else if ('binary' in value) {
    // The package would encode a text as Latin-1.
    protocol.writeBinary(typeof value.binary === 'string' ? Buffer.from(value.binary) : value.binary);
  } else if ('list' in value) {
    protocol.writeListBegin(value.of, value.list.length);
    for (const item of value.list) write(protocol, item);
  } else if ('set' in value) {
    protocol.writeSetBegin(value.of, value.set.length);
    for (const item of value.set) write(protocol, item);
  } else if ('map' in value) {
    protocol.writeMapBegin(...value.of, value.map.length);
    for (const [key, item] of value.map) {
      write(protocol, key);
      write(protocol, item);
    }
  } else {
    protocol.writeStructBegin('');
    for (const [id, field] of value.struct) {
      protocol.writeFieldBegin('', typeOf(field), id);
      write(protocol, field);
    }
    protocol.writeFieldStop();
  }
}

function read(protocol: Protocol, type: number): ReadValue {
  if (type === TYPES.bool) return protocol.readBool();
  if (type === TYPES.byte) return protocol.readByte();
  if (type === TYPES.i16) return protocol.readI16();
  if (type === TYPES.i32) return protocol.readI32();
  if (type === TYPES.i64) return protocol.readI64().toNumber();
  if (type === TYPES.binary) return Buffer.from(protocol.readBinary());
  if (type === TYPES.list) {
    const { etype, size } = protocol.readListBegin();
    return Array.from({ length: size }, () => read(protocol, etype));
  }
  if (type !== TYPES.struct) throw new Error(`expected a type that HBase is sent, found ${type}`);
  const fields: Record<number, ReadValue> = {};
  protocol.readStructBegin();
  for (;;) {
    const { ftype, fid } = protocol.readFieldBegin();
    if (ftype === 0) return fields;
    fields[fid] = read(protocol, ftype);
  }
}
