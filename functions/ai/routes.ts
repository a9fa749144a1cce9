import { createWriter } from '../../shared/ai/provider.ts';
import type { Writer } from '../../shared/ai/writer.ts';
import type { Route } from '../../shared/http/route.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { generateRoute } from './generate.ts';

/** Created by the first request of a container. */
let writer: Promise<Writer> | null = null;
const containerWriter = (services: Services) => (writer ??= createWriter(services));

/** One row per endpoint. */
export const routes: readonly Route[] = [generateRoute(containerWriter)];
