import { probe, type Probed } from './media/probe.ts';

export interface KeptMedia {
  keep: (bytes: Uint8Array) => Promise<Probed>;
  find: (sha256: string) => { bytes: Buffer; type: string } | undefined;
  clear: () => void;
}

/** The files that platforms received, for the page. Beyond `maxBytes` the oldest are let go. */
export function keptMedia(maxBytes: number = 512 * 1024 * 1024): KeptMedia {
  const files = new Map<string, { bytes: Buffer; type: string }>();
  let total = 0;

  async function keep(bytes: Uint8Array): Promise<Probed> {
    const facts = await probe(bytes);
    if (!files.has(facts.sha256)) {
      files.set(facts.sha256, { bytes: Buffer.from(bytes), type: facts.type });
      total += facts.size;
      shrink();
    }
    return facts;
  }

  function shrink(): void {
    for (const [sha256, { bytes }] of files) {
      if (total <= maxBytes) return;
      files.delete(sha256);
      total -= bytes.length;
    }
  }

  function clear(): void {
    files.clear();
    total = 0;
  }

  return { keep, find: sha256 => files.get(sha256), clear };
}
