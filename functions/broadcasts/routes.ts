import type { Route } from '../../shared/http/route.ts';
import { createBroadcast } from './create.ts';
import { listBroadcasts } from './list.ts';
import { stopBroadcast } from './stop.ts';

/** One route per row. */
export const routes: readonly Route[] = [listBroadcasts, createBroadcast, stopBroadcast];
