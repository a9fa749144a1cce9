/** Writes bits and exponential Golomb codes (ITU-T H.264, 9.1). */
export interface BitWriter {
  bits: (value: number, count: number) => void;
  /** Unsigned exponential Golomb code, `ue(v)`. */
  ue: (value: number) => void;
  /** Writes zero bits up to the next byte boundary. */
  align: () => void;
  /** Writes whole bytes. The writer must be aligned. */
  bytes: (data: Uint8Array) => void;
  /** Writes the stop bit and alignment and returns everything written. */
  finish: () => Buffer;
}

export function bitWriter(): BitWriter {
  const chunks: Uint8Array[] = [];
  let pending: number[] = [];
  let current = 0;
  let filled = 0;

  function bits(value: number, count: number): void {
    for (let bit = count - 1; bit >= 0; bit -= 1) {
      current = (current << 1) | ((value >>> bit) & 1);
      filled += 1;
      if (filled === 8) {
        pending.push(current);
        current = 0;
        filled = 0;
      }
    }
  }

  function ue(value: number): void {
    const length = 32 - Math.clz32(value + 1);
    bits(0, length - 1);
    bits(value + 1, length);
  }

  function align(): void {
    if (filled > 0) bits(0, 8 - filled);
  }

  function bytes(data: Uint8Array): void {
    chunks.push(Uint8Array.from(pending), data);
    pending = [];
  }

  function finish(): Buffer {
    bits(1, 1);
    align();
    return Buffer.concat([...chunks, Uint8Array.from(pending)]);
  }

  return { bits, ue, align, bytes, finish };
}
