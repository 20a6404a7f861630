/**
 * Instructions that the meter handles individually or writes; those with a prefix are in `bulk`.
 */
export const opcode = Object.freeze({
  unreachable: 0x00,
  block: 0x02,
  loop: 0x03,
  if: 0x04,
  else: 0x05,
  try: 0x06,
  catch: 0x07,
  throw: 0x08,
  rethrow: 0x09,
  throwRef: 0x0a,
  end: 0x0b,
  br: 0x0c,
  brIf: 0x0d,
  brTable: 0x0e,
  return: 0x0f,
  call: 0x10,
  callIndirect: 0x11,
  returnCall: 0x12,
  returnCallIndirect: 0x13,
  delegate: 0x18,
  catchAll: 0x19,
  tryTable: 0x1f,
  localGet: 0x20,
  localSet: 0x21,
  localTee: 0x22,
  globalGet: 0x23,
  globalSet: 0x24,
  memorySize: 0x3f,
  memoryGrow: 0x40,
  i32Const: 0x41,
  i64Const: 0x42,
  i32Ne: 0x47,
  i32GtU: 0x4b,
  i64LtS: 0x53,
  i64GtU: 0x56,
  i32Sub: 0x6b,
  i32Or: 0x72,
  i64Add: 0x7c,
  i64Sub: 0x7d,
  i64Mul: 0x7e,
  i64ShrU: 0x88,
  i64ExtendI32U: 0xad,
});

/** The second number of the 0xfc instructions whose work grows with an operand. */
export const bulk = Object.freeze({
  prefix: 0xfc,
  memoryInit: 8,
  memoryCopy: 10,
  memoryFill: 11,
  tableInit: 12,
  tableCopy: 14,
  tableGrow: 15,
  tableFill: 17,
});

/** Encoded types. */
export const type = Object.freeze({ i32: 0x7f, i64: 0x7e, empty: 0x40, function: 0x60 });
