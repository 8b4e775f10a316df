/** The types of values in Thrift's binary protocol that HBase's gateway uses. */
export const TYPE = {
  stop: 0,
  bool: 2,
  byte: 3,
  double: 4,
  i16: 6,
  i32: 8,
  i64: 10,
  string: 11,
  struct: 12,
  map: 13,
  set: 14,
  list: 15,
} as const;

/** Thrown for bytes that are not a Thrift message, or not the expected message. */
export class ThriftError extends Error {
  override readonly name = 'ThriftError';
}
