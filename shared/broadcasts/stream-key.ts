import { seal, unseal } from '../aws/key-ring.ts';
import type { Broadcast } from '../model/broadcast.ts';
import type { Services } from '../runtime/services.ts';

type Keys = Pick<Services, 'keyRing'>;

export async function sealStreamKey(
  { keyRing }: Keys,
  sessionId: string,
  streamKey: string,
): Promise<string> {
  return seal(await keyRing(), sessionId, streamKey);
}

/** Returns the stream key of a session; null before YouTube issued one. Never log it. */
export async function openStreamKey(
  { keyRing }: Keys,
  { id, sealed_stream_key }: Pick<Broadcast, 'id' | 'sealed_stream_key'>,
): Promise<string | null> {
  if (sealed_stream_key === null) return null;
  return unseal(await keyRing(sealed_stream_key), id, sealed_stream_key);
}
