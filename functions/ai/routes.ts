import { writerOf } from '../../shared/ai/provider.ts';
import type { Writer } from '../../shared/ai/writer.ts';
import type { Route } from '../../shared/http/route.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { generateWith } from './generate.ts';

/** Made at the first request of a container. */
let writer: Writer | null = null;
const ownWriter = (services: Services) => (writer ??= writerOf(services));

/** One row an endpoint. */
export const routes: readonly Route[] = [generateWith(ownWriter)];
