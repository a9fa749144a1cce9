/** A value of AMF0, as far as RTMP commands have them. */
export type AmfValue = number | string | boolean | null | AmfObject;
export interface AmfObject {
  [name: string]: AmfValue;
}

const NUMBER = 0;
const BOOLEAN = 1;
const STRING = 2;
const OBJECT = 3;
const NULL = 5;
const UNDEFINED = 6;
const ECMA_ARRAY = 8;
const END = Buffer.from([0, 0, 9]);

/** Encodes values in AMF0, one behind the other. */
export function encodeAmf(...values: readonly AmfValue[]): Buffer {
  return Buffer.concat(values.map(encodeValue));
}

function encodeValue(value: AmfValue): Buffer {
  if (value === null) return Buffer.from([NULL]);
  if (typeof value === 'boolean') return Buffer.from([BOOLEAN, value ? 1 : 0]);
  if (typeof value === 'string') return Buffer.concat([Buffer.from([STRING]), encodeName(value)]);
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(9, NUMBER);
    bytes.writeDoubleBE(value, 1);
    return bytes;
  }
  const members = Object.entries(value).flatMap(([name, member]) => [encodeName(name), encodeValue(member)]);
  return Buffer.concat([Buffer.from([OBJECT]), ...members, END]);
}

function encodeName(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** Decodes the values of a command. Throws for anything that is not AMF0, or of a type that commands do not have. */
export function decodeAmf(bytes: Buffer): AmfValue[] {
  let at = 0;

  function readName(): string {
    const length = bytes.readUInt16BE(at);
    const text = bytes.toString('utf8', at + 2, at + 2 + length);
    at += 2 + length;
    return text;
  }

  function readMembers(): AmfObject {
    const members: [string, AmfValue][] = [];
    for (;;) {
      if (bytes.subarray(at, at + END.length).equals(END)) {
        at += END.length;
        return Object.fromEntries(members);
      }
      const name = readName();
      members.push([name, readValue()]);
    }
  }

  function readNumber(): number {
    const value = bytes.readDoubleBE(at);
    at += 8;
    return value;
  }

  function readValue(): AmfValue {
    const type = bytes.readUInt8(at);
    at += 1;
    switch (type) {
      case NUMBER:
        return readNumber();
      case BOOLEAN:
        at += 1;
        return bytes.readUInt8(at - 1) !== 0;
      case STRING:
        return readName();
      case OBJECT:
        return readMembers();
      case ECMA_ARRAY:
        at += 4;
        return readMembers();
      case NULL:
      case UNDEFINED:
        return null;
      default:
        throw new Error(`AMF0 type ${type} is not supported`);
    }
  }

  const values: AmfValue[] = [];
  while (at < bytes.length) values.push(readValue());
  return values;
}
