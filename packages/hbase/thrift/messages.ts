import { BinaryReader } from './binary-reader.js';
import { BinaryWriter } from './binary-writer.js';
import { ThriftError, TYPE } from './types.js';

const VERSION_1 = 0x8001;
const KIND = { call: 1, reply: 2, exception: 3 } as const;

/** A call of a method, and how to read its response. */
export interface Call<T> {
  readonly method: string;
  /** Expected number of bytes of its arguments. */
  readonly size?: number;
  /** Writes the arguments, without the stop at their end. */
  write(writer: BinaryWriter): void;
  /** Reads the value of the response. Absent for a method without a result. */
  read?(reader: BinaryReader, type: number): T;
}

export type Response<T> =
  | { readonly kind: 'value'; readonly value: T }
  /** An exception that the method declares, by its field id. */
  | { readonly kind: 'declared'; readonly id: number; readonly message: string }
  /** The server failed, or does not have the method: a TApplicationException with its type. */
  | { readonly kind: 'application'; readonly type: number; readonly message: string };

/** @param sequence a 32-bit integer, not below 0, that the response repeats */
export function encodeCall<T>(call: Call<T>, sequence: number): Buffer {
  const writer = new BinaryWriter((call.size ?? 256) + 64);
  writer.int(0);
  writer.int((VERSION_1 << 16) | KIND.call);
  writer.value(call.method);
  writer.int(sequence);
  call.write(writer);
  writer.stop();
  writer.intAt(0, writer.length - 4);
  return writer.finish();
}

/** Reads the response in a frame. @throws ThriftError if the frame is not a response to this call */
export function decodeResponse<T>(frame: Buffer, call: Call<T>, sequence: number): Response<T> {
  const reader = new BinaryReader(frame);
  const head = reader.i32();
  if (head >>> 16 !== VERSION_1) throw new ThriftError('expected a message of Thrift, found something else');
  const kind = head & 0xff;
  const method = reader.latin1();
  const found = reader.i32();
  if (found !== sequence || method !== call.method) {
    throw new ThriftError(`expected the response to ${call.method} ${sequence}, found one to another call`);
  }
  if (kind === KIND.exception) return { kind: 'application', ...readException(reader) };
  if (kind !== KIND.reply) throw new ThriftError(`expected a response, found a message of kind ${kind}`);
  let response: Response<T> | undefined;
  while (reader.nextField()) {
    const { id, type } = reader;
    if (id === 0 && call.read) response = { kind: 'value', value: call.read(reader, type) };
    else if (id > 0 && type === TYPE.struct)
      response = { kind: 'declared', id, message: readException(reader).message };
    else reader.skip(type);
  }
  if (response) return response;
  if (call.read) throw new ThriftError(`expected a response to ${call.method} with a value, found one without`);
  return { kind: 'value', value: undefined as T };
}

/** Reads the first text and the first number of a struct: a message and a type. */
function readException(reader: BinaryReader): { message: string; type: number } {
  let message = '';
  let kind = 0;
  while (reader.nextField()) {
    const { id, type } = reader;
    if (id === 1 && type === TYPE.string) message = reader.binary().toString();
    else if (id === 2 && type === TYPE.i32) kind = reader.i32();
    else reader.skip(type);
  }
  return { message, type: kind };
}
